/** The report of check in any of the formats. */
import type { ClaimReport } from '../reconcile/report.ts';
import { claimColumns } from './columns.ts';
import { printItems } from './print-items.ts';
import type { PrintOptions } from './print-items.ts';

/**
 * The text for stdout; "" where there is nothing to show.
 * @param options `now`: milliseconds since the epoch, against which ages are told
 * @throws UserError for an expression that cannot be read.
 */
export function printReport(report: ClaimReport, options: PrintOptions & { readonly now: number }): string {
  return printItems(report, options, (wide) => claimColumns(wide, () => options.now));
}
