/** A report's items in any of the formats. */
import { stripControl } from '../errors.ts';
import type { VirtualClusterName } from '../reconcile/report.ts';
import type { CustomColumn, OutputFormat } from './format.ts';
import { findAll, renderTemplate, resultText } from './jsonpath.ts';
import { sortItems } from './sort.ts';
import { toJson, toYaml } from './structured.ts';
import { renderTable } from './table.ts';
import type { Column, TableOptions } from './table.ts';

export interface PrintOptions extends TableOptions {
  readonly format: OutputFormat;
  /** A path into an item, null for the report's own order. */
  readonly sortBy: string | null;
}

/** What every item has: its name in -o name. */
export interface NamedItem {
  readonly virtualCluster: VirtualClusterName;
  readonly tenant: ClaimName | null;
  readonly super: ClaimName | null;
}

interface ClaimName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * The text for stdout; "" where there is nothing to show.
 * @param columns of the table, or of the wide one
 * @throws UserError for an expression that cannot be read.
 */
export function printItems<T extends NamedItem>(
  unsorted: { readonly items: readonly T[] },
  options: PrintOptions,
  columns: (wide: boolean) => readonly Column<T>[],
): string {
  const report =
    options.sortBy === null ? unsorted : { ...unsorted, items: sortItems(unsorted.items, options.sortBy) };
  const { format } = options;
  switch (format.kind) {
    case 'json':
      return toJson(report);
    case 'yaml':
      return toYaml(report);
    case 'name':
      return report.items.map((item) => `${itemName(item)}\n`).join('');
    case 'jsonpath':
      return renderTemplate(format.template, report);
    case 'custom-columns':
      return renderTable(format.columns.map(customColumn), report.items, { ...options, width: null });
    default:
      if (report.items.length === 0) return '';
      return renderTable(columns(format.kind === 'wide'), report.items, options);
  }
}

/** `<VirtualCluster namespace>/<VirtualCluster>/<tenant namespace>/<claim>`. */
export function itemName({ virtualCluster, tenant, super: superClaim }: NamedItem): string {
  const claim = tenant ?? superClaim;
  return stripControl(
    `${virtualCluster.namespace}/${virtualCluster.name}/${claim?.namespace}/${claim?.name}`,
  );
}

/** A path that finds nothing, or null, shows "<none>"; several results are joined by commas. */
function customColumn({ header, path }: CustomColumn): Column<unknown> {
  return {
    header,
    cell: (item) => {
      const found = findAll(path, item).filter((value) => value !== null);
      return found.length === 0 ? '<none>' : found.map(resultText).join(',');
    },
  };
}
