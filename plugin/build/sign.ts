/** macOS starts nothing on arm64 that is not signed, if only by nobody in particular ("ad hoc"). */
import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';

const run = promisify(execFile);

const ON_MAC = process.platform === 'darwin';
const TOOL = ON_MAC ? 'codesign' : 'rcodesign';

/** Why nothing can be signed here: the tool is not on this machine. null where it is. */
export async function whyNotSigned(): Promise<string | null> {
  try {
    await run(TOOL, ['--version']);
  } catch (error) {
    // Whatever else it answers, it is there.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return `${TOOL} is not on PATH${ON_MAC ? '' : ' (cargo install apple-codesign)'}`;
    }
  }
  return null;
}

/**
 * Signs a Mach-O binary in place, with codesign on macOS and with rcodesign of the crate apple-codesign elsewhere.
 * @throws Error with what the tool printed
 */
export async function signAdHoc(binary: string): Promise<void> {
  const args = ON_MAC ? ['--force', '--sign', '-'] : ['sign', '--binary-identifier', 'kubectl-vc_pvc'];
  await run(TOOL, [...args, binary]);
}
