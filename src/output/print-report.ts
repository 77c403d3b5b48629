/** A report in any of the formats. */
import { stripControl } from '../errors.ts';
import type { ClaimReport, ReportItem } from '../reconcile/report.ts';
import { claimColumns } from './columns.ts';
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
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The text for stdout; "" where there is nothing to show. @throws UserError for an expression that cannot be read. */
export function printReport(unsorted: ClaimReport, options: PrintOptions): string {
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
      return renderTable(claimColumns(format.kind === 'wide', options.now), report.items, options);
  }
}

/** `<VirtualCluster namespace>/<VirtualCluster>/<tenant namespace>/<claim>`. */
function itemName({ virtualCluster, tenant, super: superClaim }: ReportItem): string {
  const claim = tenant ?? superClaim;
  return stripControl(
    `${virtualCluster.namespace}/${virtualCluster.name}/${claim?.namespace}/${claim?.name}`,
  );
}

/** A path that finds nothing, or null, shows "<none>"; several results are joined by commas. */
function customColumn({ header, path }: CustomColumn): Column<ReportItem> {
  return {
    header,
    cell: (item) => {
      const found = findAll(path, item).filter((value) => value !== null);
      return found.length === 0 ? '<none>' : found.map(resultText).join(',');
    },
  };
}
