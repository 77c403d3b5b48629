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
 * A spinner with "tenants done, claims read".
 * @param tenants how many there are
 * @param stream stderr; results go to stdout and stay clean
 */
export async function startProgress(tenants: number, stream: WriteStream): Promise<Progress> {
  if (!stream.isTTY || process.env['TERM'] === 'dumb') return SILENT;
  // Imported only where there is a terminal: a pipe or CI job need not pay for it.
  const { default: ora } = await import('ora');
  let done = 0;
  let claims = 0;
  const text = (): string => `${done} of ${tenants} tenants compared, ${claims} claims read`;
  // discardStdin would put the terminal into raw mode, in which a first Ctrl-C no longer reaches us.
  const spinner = ora({ text: text(), stream, discardStdin: false }).start();
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
