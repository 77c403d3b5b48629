/** The sources and every library they run, in one script. */
import { build } from 'esbuild';
import type { Metafile, Plugin } from 'esbuild';
import { join } from 'node:path';
import type { Project } from './project.ts';
import { ROOT } from './project.ts';

export interface Bundle {
  /** One expression: a function that takes Node's `require` and runs the program. ASCII only. */
  readonly code: string;
  /** What is in it, by file. */
  readonly metafile: Metafile;
}

/**
 * Libraries of one function that are slow to load and seldom called: string-width asks ICU for a segmenter and for all
 * emoji, half as long as Node takes to start, and names in Kubernetes are ASCII. A stand-in loads each when it is called.
 */
const LAZY = ['string-width'];

const LAZY_LIBRARIES: Plugin = {
  name: 'lazy-libraries',
  setup(bundling) {
    const names = new RegExp(`^(?:${LAZY.join('|')})$`);
    bundling.onResolve({ filter: names }, ({ path, namespace }) =>
      namespace === 'lazy' ? null : { path, namespace: 'lazy' },
    );
    bundling.onLoad({ filter: names, namespace: 'lazy' }, ({ path }) => ({
      contents: `let load; export default (...args) => (load ??= require('${path}').default)(...args);`,
      resolveDir: ROOT,
    }));
  },
};

/**
 * Where the libraries are told that they are. yargs looks there for a package.json and for translations, and in the working
 * directory where it finds no node_modules in it. Absolute on Windows too, and below a folder that nobody can make: "?" is
 * no name on Windows, and the root folder of the others belongs to root.
 */
const NOWHERE = 'file:///C:/%3F/node_modules/one/script/of/all/kubectl-vc_pvc.js';

/**
 * Bundles src/main.ts. Every module becomes a function that runs when it is first needed, so that a command pays only for what it uses. CommonJS
 * because a code cache of a script can be made after it ran and then holds every function that was called, which a
 * module's cannot. @throws Error for whatever esbuild has to say, warnings too
 */
export async function makeBundle(project: Project): Promise<Bundle> {
  const result = await build({
    absWorkingDir: ROOT,
    entryPoints: [join(ROOT, 'src/main.ts')],
    outfile: 'kubectl-vc_pvc.js',
    write: false,
    bundle: true,
    // Names stay: the stack trace of a bug report has to be readable.
    minifyWhitespace: true,
    minifySyntax: true,
    platform: 'node',
    target: 'node26',
    format: 'cjs',
    charset: 'ascii',
    legalComments: 'none',
    metafile: true,
    plugins: [LAZY_LIBRARIES],
    // `import()` of a module of Node's would ask for a loader that a script has not got.
    supported: { 'dynamic-import': false },
    banner: { js: '(function (require) {' },
    footer: { js: '})' },
    define: {
      VC_PVC_VERSION: JSON.stringify(project.version),
      VC_PVC_COMMIT: JSON.stringify(project.commit),
      'import.meta.url': JSON.stringify(NOWHERE),
    },
    logLevel: 'silent',
  });
  const warning = result.warnings[0];
  if (warning !== undefined) throw new Error(`esbuild warns: ${warning.text} (${warning.location?.file})`);
  return { code: result.outputFiles[0]?.text ?? '', metafile: result.metafile };
}
