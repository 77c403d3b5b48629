/** What this program is: put in when it is bundled, else read from the source tree that it runs from. */
import { readFileSync } from 'node:fs';
import process from 'node:process';

// The build defines them (esbuild --define); in a source tree they are not there.
declare const VC_PVC_VERSION: string | undefined;
declare const VC_PVC_COMMIT: string | undefined;

/** As clientVersion of `kubectl version -o json`, as far as it applies. */
export interface ClientVersion {
  readonly major: string;
  readonly minor: string;
  /** With a leading v. */
  readonly gitVersion: string;
  /** The commit's hash, or why there is none. */
  readonly gitCommit: string;
  /** With a leading v. */
  readonly nodeVersion: string;
  /** As Go names them: linux/amd64. */
  readonly platform: string;
}

/** The version of this program. Runs nothing: a source tree does not say which commit it is. */
export function clientVersion(): ClientVersion {
  const version = typeof VC_PVC_VERSION === 'undefined' ? sourceVersion() : VC_PVC_VERSION;
  const [major = '', minor = ''] = version.split('.');
  return {
    major,
    minor,
    gitVersion: `v${version}`,
    gitCommit: typeof VC_PVC_COMMIT === 'undefined' ? 'unknown (source tree)' : VC_PVC_COMMIT,
    nodeVersion: process.version,
    platform: `${GO_NAMES[process.platform] ?? process.platform}/${GO_NAMES[process.arch] ?? process.arch}`,
  };
}

/** Where Node's names of platforms and architectures are not Go's. */
const GO_NAMES: Readonly<Record<string, string>> = { win32: 'windows', x64: 'amd64', ia32: '386' };

function sourceVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
