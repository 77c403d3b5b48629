import type { CommonFlags } from '../flags/scope.ts';
import { wantsColor } from '../output/color.ts';
import { parseOutputFormat } from '../output/format.ts';
import { parsePath } from '../output/jsonpath-parse.ts';
import type { PrintOptions } from '../output/print-items.ts';
import type { Surroundings } from './check.ts';

/** How a report is to be printed. @throws UserError for a flag that cannot be: to be asked before any cluster is. */
export function printOptionsOf(
  { output, headers, sortBy, color }: CommonFlags,
  { stdout, environment }: Surroundings,
): PrintOptions {
  const format = parseOutputFormat(output);
  if (sortBy !== null) parsePath('--sort-by', sortBy);
  return {
    format,
    headers,
    sortBy,
    color: wantsColor(color, stdout.isTTY, environment),
    width: stdout.isTTY ? stdout.columns : null,
  };
}
