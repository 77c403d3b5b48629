/** What is going on, on a terminal; nothing anywhere else. */
import type { WriteStream } from 'node:tty';

export interface Progress {
  tenantDone(): void;
  claimsRead(more: number): void;
  /** Takes the line away again. */
  stop(): void;
}

const SILENT: Progress = { tenantDone: () => {}, claimsRead: () => {}, stop: () => {} };

/**
 * A spinner with "tenants done, claims read". It redraws at its own pace, however often it is told something, and
 * shows the cursor again when it is stopped or the process ends.
 * @param tenants how many there are
 * @param stream stderr; results go to stdout and stay clean
 * @param doneWith what is done to a tenant
 */
export async function startProgress(
  tenants: number,
  stream: WriteStream,
  environment: Readonly<Record<string, string | undefined>> = process.env,
  doneWith = 'compared',
): Promise<Progress> {
  // A terminal of no columns (a pseudo-terminal whose size nobody set) would keep ora clearing lines for ever.
  if (!stream.isTTY || stream.columns === 0 || environment['TERM'] === 'dumb') return SILENT;
  // Imported only where there is a terminal: a pipe or CI job need not pay for it.
  const { default: ora } = await import('ora');
  let done = 0;
  let claims = 0;
  const text = (): string => `${done} of ${tenants} tenants ${doneWith}, ${claims} claims read`;
  const spinner = ora({
    text: text(),
    stream,
    // Its own guess would leave a line behind where CI is set and stderr is a terminal all the same.
    isEnabled: true,
    // It would not heed NO_COLOR.
    color: false,
    // It would put the terminal into raw mode, in which a first Ctrl-C no longer reaches us.
    discardStdin: false,
  }).start();
  return {
    tenantDone: () => {
      done += 1;
      spinner.text = text();
    },
    claimsRead: (more) => {
      claims += more;
      spinner.text = text();
    },
    stop: () => void spinner.stop(),
  };
}
