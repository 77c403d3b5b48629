/** `node check-code-cache.ts BUNDLE CACHE` fails where V8, with the flags of this process, would not use the cache. */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { Script } from 'node:vm';

const [, , bundle = '', cache = ''] = process.argv;
const { cachedDataRejected } = new Script(readFileSync(bundle, 'latin1'), {
  filename: 'kubectl-vc_pvc.js',
  cachedData: readFileSync(cache),
});
if (cachedDataRejected !== false) throw new Error('V8 does not take the code cache that it made');
