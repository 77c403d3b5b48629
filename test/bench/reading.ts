/**
 * `make bench` too: how a list of 10,000 claims is read fastest from a real API server on this machine, by page size,
 * compression and HTTP version. Each cell is a median of some runs, all variants in turn.
 */
import { createGunzip } from 'node:zlib';
import { Agent, request } from 'undici';
import type { Dispatcher } from 'undici';
import { PROTOBUF_TYPE } from '../../src/kube/connection.ts';
import { ListStream } from '../../src/kube/protobuf/list-stream.ts';
import { claimDecoder } from '../../src/kube/protobuf/objects.ts';
import type { Claim } from '../../src/reconcile/model.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { median } from './measure.ts';

interface Variant {
  readonly name: string;
  /** 0: everything in one answer. */
  readonly page: number;
  readonly gzip: boolean;
  readonly http2: boolean;
}

const VARIANTS: readonly Variant[] = [
  ...[500, 1000, 2000, 5000, 0].map((page) => ({
    name: page === 0 ? 'one answer' : `pages of ${page}`,
    page,
    gzip: false,
    http2: false,
  })),
  { name: 'pages of 5000, gzip', page: 5000, gzip: true, http2: false },
  { name: 'pages of 5000, HTTP/2', page: 5000, gzip: false, http2: true },
];

/** Measures all variants. @returns the lines of a table */
export async function benchReading(plane: ControlPlane, runs: number): Promise<string[]> {
  const { certificate, key } = await plane.authority.client('admin', ['system:masters']);
  const tls = { ca: plane.authority.certificate, cert: certificate, key };
  const agents = {
    http1: new Agent({ allowH2: false, connect: tls }),
    http2: new Agent({ allowH2: true, connect: tls }),
  };
  const times = new Map<Variant, number[]>(VARIANTS.map((variant) => [variant, []]));
  for (let run = -1; run < runs; run += 1) {
    for (const variant of VARIANTS) {
      const start = performance.now();
      await readAll(plane.port, variant, variant.http2 ? agents.http2 : agents.http1);
      // The first round warms up caches, connections and the compiler.
      if (run >= 0) times.get(variant)?.push(performance.now() - start);
    }
  }
  await Promise.all([agents.http1.close(), agents.http2.close()]);
  const rows = [...times].map(([variant, all]) => `| ${variant.name} | ${median(all).toFixed(0)} |`);
  return ['| reading 10,000 claims | median ms |', '|---|---|', ...rows];
}

async function readAll(port: number, variant: Variant, dispatcher: Dispatcher): Promise<void> {
  const claims: Claim[] = [];
  let token = '';
  do {
    const query = new URLSearchParams();
    if (variant.page > 0) query.set('limit', String(variant.page));
    if (token !== '') query.set('continue', token);
    const answer = await request(
      `https://127.0.0.1:${port}/api/v1/persistentvolumeclaims?${query.toString()}`,
      {
        dispatcher,
        headers: { accept: PROTOBUF_TYPE, 'accept-encoding': variant.gzip ? 'gzip' : 'identity' },
      },
    );
    const stream = new ListStream(claimDecoder(), (claim) => claims.push(claim));
    const body =
      answer.headers['content-encoding'] === 'gzip' ? answer.body.compose(createGunzip()) : answer.body;
    for await (const chunk of body as AsyncIterable<Buffer>) stream.push(chunk);
    stream.end();
    token = stream.continueToken;
  } while (token !== '');
}
