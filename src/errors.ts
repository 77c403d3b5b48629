/**
 * A mistake of the caller's or a state of the world that the user has to know of, told in one line: what was
 * tried, on what, and what to do. Anything else that is thrown is a bug of ours.
 */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** Every text that reaches a message from outside goes through here first: one line, no control characters. */
export function oneLine(text: string): string {
  return stripControl(text.replaceAll(/[\r\n\t]+/g, ' ')).trim();
}

/**
 * Removes what a terminal would obey instead of show: C0 and C1 control characters (whole escape sequences
 * first, so that nothing of them is left), and the Unicode marks that reorder or hide text.
 */
export function stripControl(text: string): string {
  return text.replaceAll(ESCAPE_SEQUENCE, '').replaceAll(CONTROL, '');
}

/**
 * What no name has any use for and a terminal obeys, or that reorders or hides text, as part of a character class: C1
 * control characters, marks of direction, invisible marks. (C0 stays out: JSON and YAML escape it by themselves.)
 */
export const HIDDEN_CHARACTERS =
  '\\u007f-\\u009f\\u00ad\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff';

/** The same of the characters beyond U+FFFF, for an expression with the flag `u`: tags, which spell text unseen. */
export const HIDDEN_TAGS = '\\u{e0000}-\\u{e007f}';

// Built from strings so that no control character stands in the source.
const ESCAPE_SEQUENCE = new RegExp(
  '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]|(?:\\u001b[PX\\]^_]|[\\u0090\\u0098\\u009d-\\u009f])[^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)?|\\u001b[ -/]*[0-~]',
  'g',
);
const CONTROL = new RegExp(`[\\u0000-\\u001f${HIDDEN_CHARACTERS}${HIDDEN_TAGS}]`, 'gu');

/** Exit code, as a shell reports a process that SIGINT ended. */
export const INTERRUPTED = 130;

/** What tells a command to end before it is done; SIGPIPE: nobody reads its output any more. */
type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGPIPE';

/** Why a command ends before it is done: it was told to. */
export class Interrupted extends UserError {
  readonly signal: EndSignal;

  constructor(signal: EndSignal) {
    super('interrupted');
    this.signal = signal;
  }
}
