/**
 * Runs pkg: `node pack.ts ORDER`. A process of its own, because pkg changes the working directory to a new folder in
 * TMPDIR, and looks for Node's binaries under HOME.
 */
import pkgSea from '@yao-pkg/pkg/lib-es5/sea.js';
import type { SeaConfig, SeaOptions } from '@yao-pkg/pkg/lib-es5/sea.js';
import { basename, join } from 'node:path';
import process from 'node:process';

export interface PackOrder {
  /** The main script, in TMPDIR. */
  readonly main: string;
  /** Paths, by the name under which the main script asks for them. */
  readonly assets: Readonly<Record<string, string>>;
  /** Node's and V8's, as on a command line. */
  readonly flags: readonly string[];
  readonly target: SeaOptions['targets'][number];
}

const { main, assets, flags, target } = JSON.parse(process.argv[2] ?? '') as PackOrder;
const seaConfig: SeaConfig & { main: string; execArgv: readonly string[]; execArgvExtension: 'none' } = {
  // Relative, because the blob holds it as it is written here, and it must be the same wherever it is built.
  main: join('..', basename(main)),
  disableExperimentalSEAWarning: true,
  useSnapshot: false,
  // Of the main script, a few lines; the bundle has its own.
  useCodeCache: false,
  assets,
  execArgv: flags,
  // NODE_OPTIONS is meant for other programs: nothing of it may reach this one.
  execArgvExtension: 'none',
};
// Imported by its file: the command line of pkg hands nothing through to Node's configuration.
await pkgSea.default(main, { targets: [target], seaConfig, signature: false });
