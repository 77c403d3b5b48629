/**
 * What the binary runs first: it takes the bundle out of the binary, with the code that V8 made of it when it was built
 * (where it was built on the same kind of machine; elsewhere V8 compiles what is called).
 */
import { getAssetKeys, getRawAsset } from 'node:sea';
import { Script } from 'node:vm';

// The bundle is ASCII: one byte a character, taken over without being decoded.
const source = Buffer.from(getRawAsset('bundle')).toString('latin1');
const script = new Script(source, {
  filename: 'kubectl-vc_pvc.js',
  ...(getAssetKeys().includes('code-cache') ? { cachedData: Buffer.from(getRawAsset('code-cache')) } : {}),
});
(script.runInThisContext() as (require: NodeJS.Require) => void)(require);
