/** macOS starts nothing on arm64 that is not signed, if only by nobody in particular ("ad hoc"). */
import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Signs a Mach-O binary in place, with codesign on macOS and with rcodesign of the crate apple-codesign elsewhere.
 * @returns null, or why it is still not signed: the tool is not on this machine
 * @throws Error with what the tool printed where it failed
 */
export async function signAdHoc(binary: string): Promise<string | null> {
  const [tool, ...args] =
    process.platform === 'darwin'
      ? ['codesign', '--force', '--sign', '-']
      : ['rcodesign', 'sign', '--binary-identifier', 'kubectl-vc_pvc'];
  try {
    await run(tool, [...args, binary]);
    return null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return 'rcodesign is not on PATH (cargo install apple-codesign)';
  }
}
