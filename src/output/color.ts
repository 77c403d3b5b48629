export type ColorMode = 'auto' | 'always' | 'never';

/** Whether to colour a stream: NO_COLOR (no-color.org: any value but empty) and TERM=dumb turn "auto" off. */
export function wantsColor(
  mode: ColorMode,
  terminal: boolean,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  if (mode !== 'auto') return mode === 'always';
  return terminal && (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';
}
