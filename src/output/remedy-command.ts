/** Remedies as commands that a POSIX shell runs as they are printed. */
import { stripControl } from '../errors.ts';
import type { PatchOperation, Step } from '../reconcile/explain/explanation.ts';
import { toCompactJson } from './structured.ts';

/** Longer lines are broken, where a break means nothing to the shell. */
const WIDTH = 80;

/**
 * One command for all steps: the shell goes on only where a step succeeded.
 * @param flags that lead kubectl to the steps' cluster
 * @returns lines without a final newline; null where a flag holds what a terminal would obey
 */
export function commandOf(steps: readonly Step[], flags: readonly string[]): string | null {
  if (flags.some((flag) => stripControl(flag) !== flag)) return null;
  return steps.map((step) => kubectlPatch(step, flags)).join(' &&\n');
}

function kubectlPatch({ kind, namespace, name, patch }: Step, flags: readonly string[]): string {
  const where = [...flags, ...(namespace === null ? [] : ['-n', namespace])].map(shellWord);
  const what = ['patch', kind === 'PersistentVolume' ? 'pv' : 'pvc', shellWord(name), '--type=json', '-p'];
  const oneLine = ['kubectl', ...where, ...what].join(' ');
  const start =
    oneLine.length <= WIDTH - 3 ? oneLine : `${['kubectl', ...where].join(' ')} \\\n  ${what.join(' ')}`;
  const operations = patch.map(operationLines).join(',\n').replaceAll("'", "'\\''");
  return `${start} '[\n${operations}]'`;
}

function operationLines(operation: PatchOperation): string {
  const text = `  ${toCompactJson(operation)}`;
  return text.length <= WIDTH - 3 ? text : text.replace(',"value":', ',\n   "value":');
}

/** As it is where no shell gives any of it a meaning, else in single quotes. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
