/** A report in any of the formats. */
import { UserError, stripControl } from '../errors.ts';
import type { ClaimReport, ReportItem } from '../reconcile/report.ts';
import { claimColumns } from './columns.ts';
import type { OutputFormat } from './format.ts';
import { findAll, renderJsonPath, resultText } from './jsonpath.ts';
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
    options.sortBy === null ? unsorted : { ...unsorted, items: sorted(unsorted.items, options.sortBy) };
  const { format } = options;
  switch (format.kind) {
    case 'json':
      return toJson(report);
    case 'yaml':
      return toYaml(report);
    case 'name':
      return report.items.map((item) => `${itemName(item)}\n`).join('');
    case 'jsonpath':
      return renderJsonPath(format.template, report);
    case 'custom-columns':
      return renderTable(customColumns(format.spec), report.items, { ...options, width: null });
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

/** kubectl pkg/cmd/get/customcolumn.go: `HEADER:path`, comma separated; "<none>" where a path finds nothing. */
function customColumns(spec: string): Column<ReportItem>[] {
  return spec.split(',').map((part) => {
    const colon = part.indexOf(':');
    if (colon <= 0 || colon === part.length - 1) {
      throw new UserError(`-o custom-columns: "${stripControl(part)}": expected HEADER:.path`);
    }
    const path = part.slice(colon + 1);
    return {
      header: part.slice(0, colon),
      cell: (item) => {
        const found = findAll(path, item).filter((value) => value !== null);
        return found.length === 0 ? '<none>' : found.map(resultText).join(',');
      },
    };
  });
}

function sorted(items: readonly ReportItem[], path: string): ReportItem[] {
  const keyed = items.map((item) => ({ item, key: findAll(path, item)[0] ?? null }));
  if (keyed.length > 0 && keyed.every(({ key }) => key === null)) {
    throw new UserError(`--sort-by=${stripControl(path)}: no item has this field`);
  }
  return keyed.sort((a, b) => compareKeys(a.key, b.key)).map(({ item }) => item);
}

/** Numbers by value, text by its bytes, whatever is absent first, as kubectl's sorter.go. */
function compareKeys(a: unknown, b: unknown): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [resultText(a), resultText(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
