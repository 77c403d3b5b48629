/**
 * Runs pkg: `node pack.ts ORDER`. A process of its own, because pkg changes the working directory and looks for Node's
 * binaries under HOME.
 */
import pkgSea from '@yao-pkg/pkg/lib-es5/sea.js';
import type { SeaConfig, SeaOptions } from '@yao-pkg/pkg/lib-es5/sea.js';
import process from 'node:process';

export interface PackOrder {
  /** Paths; assets by the name under which the main script asks for them. */
  readonly main: string;
  readonly assets: Readonly<Record<string, string>>;
  readonly target: SeaOptions['targets'][number];
}

const { main, assets, target } = JSON.parse(process.argv[2] ?? '') as PackOrder;
const seaConfig: SeaConfig & { execArgvExtension: 'none' } = {
  disableExperimentalSEAWarning: true,
  useSnapshot: false,
  // Of the main script, a few lines; the bundle has its own.
  useCodeCache: false,
  assets,
  // NODE_OPTIONS is meant for other programs: nothing of it may reach this one.
  execArgvExtension: 'none',
};
// Imported by its file: the command line of pkg hands nothing through to Node's configuration.
await pkgSea.default(main, { targets: [target], seaConfig, signature: false });
