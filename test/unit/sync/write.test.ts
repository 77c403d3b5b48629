/** Writes and watches, with answers that a real API server cannot be made to give on demand: lost, broken off, endless conflicts. */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { claimFromJson } from '../../../src/kube/objects/from-json.ts';
import { CLAIMS } from '../../../src/kube/resources.ts';
import { StatusError } from '../../../src/kube/status-error.ts';
import { watchOnce } from '../../../src/kube/watch.ts';
import { LiveCluster } from '../../../src/fleet/live-cluster.ts';
import { NO_EVIDENCE } from '../../../src/reconcile/cause.ts';
import { judge } from '../../../src/reconcile/judge.ts';
import type { Judgement } from '../../../src/reconcile/judge.ts';
import { HOLD_CONDITION } from '../../../src/reconcile/model.ts';
import { ClaimWatch } from '../../../src/sync/claim-watch.ts';
import { holdInEffect } from '../../../src/sync/hold.ts';
import { releaseClaim } from '../../../src/sync/release-claim.ts';
import { TenantApi } from '../../../src/sync/tenant-api.ts';
import { writeClaim } from '../../../src/sync/write-claim.ts';
import type { WriteContext, WriteEnd } from '../../../src/sync/write-claim.ts';
import { fakeApiServer, sendJson } from '../../support/fake-api-server.ts';
import type { Answer, FakeApiServer } from '../../support/fake-api-server.ts';

const OWNER = { clusterKey: 'key', namespace: 'shop' };

function tenantClaim(resourceVersion: string, phase: string, held = false): object {
  const conditions = held ? [{ type: HOLD_CONDITION, status: 'False' }] : [];
  return {
    metadata: { name: 'data', namespace: 'shop', uid: 'uid-1', resourceVersion },
    status: { phase, conditions },
  };
}

const SUPER_CLAIM = {
  metadata: {
    name: 'data',
    namespace: 'key-shop',
    uid: 'uid-2',
    resourceVersion: '5',
    annotations: {
      'tenancy.x-k8s.io/cluster': 'key',
      'tenancy.x-k8s.io/namespace': 'shop',
      'tenancy.x-k8s.io/uid': 'uid-1',
    },
  },
  status: { phase: 'Lost' },
};

function judgement(): Judgement {
  const tenant = claimFromJson(tenantClaim('1', 'Bound'));
  const pair = { owner: OWNER, tenant, super: claimFromJson(SUPER_CLAIM), superNamespace: 'key-shop' };
  return judge(pair, { tenant: NO_EVIDENCE, super: NO_EVIDENCE });
}

/** One fake serves as both clusters: their paths differ. */
async function writeTo(
  answer: Answer,
  superPhase: () => string = () => 'Lost',
): Promise<{ readonly end: WriteEnd; readonly requests: readonly string[] }> {
  const server = await fakeApiServer((request, response) => {
    if (request.method === 'GET' && request.url?.includes('/key-shop/')) {
      sendJson(response, 200, { ...SUPER_CLAIM, status: { phase: superPhase() } });
    } else answer(request, response);
  });
  const { signal } = new AbortController();
  const cluster = new LiveCluster(server.connection, { signal });
  const context: WriteContext = {
    api: new TenantApi(server.connection, false),
    clusters: { tenant: cluster, super: cluster },
    now: () => 100_000_000,
    grace: 60_000,
    signal,
  };
  try {
    return { end: await writeClaim(judgement(), context), requests: server.requests };
  } finally {
    await server.close();
  }
}

function conflict(response: ServerResponse): void {
  sendJson(response, 409, { kind: 'Status', code: 409, reason: 'Conflict', message: 'modified' });
}

test('a release that is answered with 404 although the claim has not changed is told as refused, and not tried again', async () => {
  const server = await fakeApiServer((request, response) => {
    if (request.method === 'GET') sendJson(response, 200, tenantClaim('1', 'Lost', true));
    else
      sendJson(response, 404, { kind: 'Status', code: 404, reason: 'NotFound', message: 'no such resource' });
  });
  try {
    const { signal } = new AbortController();
    const end = await releaseClaim(
      claimFromJson(tenantClaim('1', 'Lost', true)),
      new TenantApi(server.connection, false),
      new LiveCluster(server.connection, { signal }),
      { dryRun: 'none', now: () => 0, signal },
    );
    assert.deepEqual(
      [end.outcome, end.message],
      [
        'Refused',
        "refused by the tenant's API server: no such resource, although the claim is as it was read",
      ],
    );
    assert.equal(server.requests.filter((one) => one.startsWith('PATCH')).length, 1);
  } finally {
    await server.close();
  }
});

test('a tenant whose own policy refuses our condition is told so, with its words and what to do', async () => {
  const server = await fakeApiServer((_request, response) => {
    const message = "ValidatingAdmissionPolicy 'theirs' with binding 'theirs' denied request: not this";
    sendJson(response, 422, { kind: 'Status', code: 422, reason: 'Invalid', message });
  });
  try {
    const claims = [{ namespace: 'shop', name: 'data' }];
    await assert.rejects(
      holdInEffect(new TenantApi(server.connection, false), claims, new AbortController().signal),
      /^UserError: nothing is written to .*: it refuses condition tenancy\.x-k8s\.io\/SuperClaimBound on claims .*: ValidatingAdmissionPolicy 'theirs' .* not this; have what refuses it except/,
    );
    assert.equal(server.requests.length, 1);
  } finally {
    await server.close();
  }
});

describe('a write', () => {
  test('goes to the status, as a strategic merge patch of field manager vc-pvc', async () => {
    let type: string | undefined;
    const { end, requests } = await writeTo((request, response) => {
      type = request.headers['content-type'];
      sendJson(response, 200, tenantClaim('2', 'Lost', true));
    });
    assert.equal(end.kind, 'written');
    assert.equal(type, 'application/strategic-merge-patch+json');
    assert.equal(
      requests.at(-1),
      'PATCH /api/v1/namespaces/shop/persistentvolumeclaims/data/status?fieldManager=vc-pvc',
    );
  });

  test('whose answer was lost after a conflict is known by what the claim then shows', async () => {
    let patches = 0;
    const { end } = await writeTo((request, response) => {
      if (request.method === 'GET') sendJson(response, 200, tenantClaim('2', 'Lost', true));
      else {
        patches += 1;
        // As a retry through a proxy ends: the first one was done, the second finds another resourceVersion.
        conflict(response);
      }
    });
    assert.deepEqual([end.kind, patches], ['written', 1]);
  });

  test('whose connection was cut is known by what the claim then shows', async () => {
    const { end } = await writeTo((request, response) => {
      if (request.method === 'GET') sendJson(response, 200, tenantClaim('2', 'Lost', true));
      else response.destroy();
    });
    assert.equal(end.kind, 'written');
  });

  test('of which nothing can be seen is an error, not a success and not a refusal', async () => {
    const untouched = (request: IncomingMessage, response: ServerResponse, answer: () => void): void =>
      request.method === 'GET' ? sendJson(response, 200, tenantClaim('1', 'Bound')) : answer();
    const failing: readonly (readonly [Answer, RegExp])[] = [
      [(_request, response) => sendJson(response, 503, {}), /HTTP 503/],
      [(_request, response) => sendJson(response, 503, {}, { 'retry-after': '0' }), /HTTP 503/],
      [(_request, response) => response.writeHead(502).end('<html>'), /HTTP 502/],
      [(_request, response) => response.destroy(), /the connection was closed/],
      [(_request, response) => sendJson(response, 200, {}), /the answer is not this claim/],
      [
        (_request, response) => sendJson(response, 200, tenantClaim('2', 'Bound')),
        /shows phase Bound in place of Lost: has a mutating admission policy or webhook changed it\?/,
      ],
      [
        (_request, response) => sendJson(response, 200, tenantClaim('2', 'Lost')),
        /shows no condition tenancy\.x-k8s\.io\/SuperClaimBound=False: has a mutating/,
      ],
    ];
    for (const [answer, message] of failing) {
      await assert.rejects(
        writeTo((request, response) => untouched(request, response, () => answer(request, response))),
        message,
      );
    }
  });

  test('that meets a conflict each time is given up after eight, and told', async () => {
    let version = 1;
    const { end, requests } = await writeTo((request, response) => {
      version += 1;
      if (request.method === 'GET') sendJson(response, 200, tenantClaim(String(version), 'Bound'));
      else conflict(response);
    });
    assert.ok(end.kind === 'refused');
    assert.match(end.message, /changed by somebody else at each of 8 attempts/);
    assert.equal(requests.filter((one) => one.startsWith('PATCH')).length, 8);
  });

  for (const [code, reason, message] of [
    [404, 'NotFound', 'the server could not find the requested resource'],
    [409, 'Conflict', 'modified'],
  ] as const) {
    test(`that is answered with ${code} although the claim has not changed is told as refused, and not tried again`, async () => {
      const { end, requests } = await writeTo((request, response) => {
        if (request.method === 'GET') sendJson(response, 200, tenantClaim('1', 'Bound'));
        else sendJson(response, code, { kind: 'Status', code, reason, message });
      });
      assert.ok(end.kind === 'refused');
      assert.equal(
        end.message,
        `refused by the tenant's API server: ${message}, although the claim is as it was read`,
      );
      assert.equal(requests.filter((one) => one.startsWith('PATCH')).length, 1);
    });
  }

  test('that an admission webhook refuses is told with its words, and not tried again', async () => {
    const { end, requests } = await writeTo((_request, response) => {
      const message = 'admission webhook "x" denied the request: not on Fridays';
      sendJson(response, 403, { kind: 'Status', code: 403, reason: 'Forbidden', message });
    });
    assert.ok(end.kind === 'refused');
    assert.match(end.message, /refused by the tenant's API server: .*not on Fridays/);
    assert.equal(requests.filter((one) => one.startsWith('PATCH')).length, 1);
  });

  test('waits where the API server says when to come again', async () => {
    let patches = 0;
    const { end } = await writeTo((request, response) => {
      if (request.method === 'GET') return sendJson(response, 200, tenantClaim('1', 'Bound'));
      patches += 1;
      if (patches > 1) sendJson(response, 200, tenantClaim('2', 'Lost', true));
      else sendJson(response, 429, {}, { 'retry-after': '1' });
    });
    assert.deepEqual([end.kind, patches], ['written', 2]);
  });

  const putOff: readonly (readonly [string, Answer])[] = [
    ['429', (_request, response) => sendJson(response, 429, {}, { 'retry-after': '1' })],
    ['503', (_request, response) => sendJson(response, 503, {}, { 'retry-after': '1' })],
    ['lost connection', (_request, response) => response.destroy()],
  ];
  for (const [name, answer] of putOff) {
    test(`is decided anew after a ${name}: a super claim that has healed meanwhile is left alone`, async () => {
      let phase = 'Lost';
      const { end, requests } = await writeTo(
        (request, response) => {
          if (request.method === 'GET') return sendJson(response, 200, tenantClaim('1', 'Bound'));
          phase = 'Bound';
          answer(request, response);
        },
        () => phase,
      );
      assert.equal(end.kind, 'unneeded');
      assert.equal(requests.filter((one) => one.startsWith('PATCH')).length, 1);
    });
  }
});

function event(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`;
}

async function watching<T>(answer: Answer, use: (server: FakeApiServer) => Promise<T>): Promise<T> {
  const server = await fakeApiServer(answer);
  try {
    return await use(server);
  } finally {
    await server.close();
  }
}

const signal = new AbortController().signal;

describe('a watch', () => {
  const told = async (chunks: readonly (string | Buffer)[]): Promise<string[]> =>
    watching(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        for (const chunk of chunks) response.write(chunk);
        response.end();
      },
      async ({ connection }) => {
        const seen: string[] = [];
        for await (const one of watchOnce(connection, CLAIMS, {
          namespace: null,
          resourceVersion: '1',
          signal,
        })) {
          seen.push(
            one.type === 'BOOKMARK' ? `up to ${one.resourceVersion}` : `${one.type} ${one.object.phase}`,
          );
        }
        return seen;
      },
    );

  test('gives each event once, wherever the network cuts it', async () => {
    const text = Buffer.from(
      event('ADDED', tenantClaim('2', 'Bound')) +
        event('BOOKMARK', { metadata: { resourceVersion: '9' } }) +
        event('MODIFIED', tenantClaim('10', 'Löst')) +
        event('DELETED', tenantClaim('11', 'Lost')),
    );
    const bytes = Array.from(text, (_, index) => text.subarray(index, index + 1));
    const expected = ['ADDED Bound', 'up to 9', 'MODIFIED Löst', 'DELETED Lost'];
    assert.deepEqual(await told([text]), expected);
    assert.deepEqual(await told(bytes), expected);
  });

  test('that has expired ends with the code 410, though the answer was 200', async () => {
    const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };
    await assert.rejects(
      told([event('ERROR', status)]),
      (error) => error instanceof StatusError && error.code === 410,
    );
  });

  test('of what is no stream of events is one clear error', async () => {
    for (const text of [
      '<html>\n',
      '[]\n',
      '{"type":"ADDED"}\n',
      '{"type":"ADDED","object":7}\n',
      'null\n',
    ]) {
      await assert.rejects(
        told([text]),
        /cannot watch .* of the fake: the answer is no stream of watch events/,
      );
    }
  });
});

describe('what becomes of a written claim', () => {
  const written = claimFromJson(tenantClaim('5', 'Lost', true));

  /** The watch gives these events, then breaks off or stays. */
  const observed = (
    events: readonly string[],
    stays: boolean,
    time = 200,
  ): Promise<{ readonly kind: string }> =>
    watching(
      (request, response) => {
        if (request.url?.includes('limit=1')) {
          sendJson(response, 200, { metadata: { resourceVersion: '4' }, items: [] });
          return;
        }
        response.writeHead(200, { 'content-type': 'application/json' });
        for (const one of events) response.write(one);
        if (!stays) response.end();
      },
      async ({ connection }) => {
        const watch = new ClaimWatch(connection, [written.uid]);
        await watch.start(null, signal);
        const found = await watch.after(written, time, signal);
        await watch.stop();
        return found;
      },
    );
  const own = event('MODIFIED', tenantClaim('5', 'Lost', true));

  test('is that it stayed, where only our own write is seen', async () => {
    assert.equal((await observed([own], true)).kind, 'stayed');
    const touched = event('MODIFIED', tenantClaim('6', 'Lost', true));
    assert.equal((await observed([own, touched], true)).kind, 'stayed');
  });

  test('is that it changed, also where it has changed back since', async () => {
    const undone = event('MODIFIED', tenantClaim('6', 'Bound', true));
    assert.equal((await observed([own, undone], true, 60_000)).kind, 'changed');
    assert.equal(
      (await observed([own, undone, event('MODIFIED', tenantClaim('7', 'Lost', true))], true)).kind,
      'changed',
    );
  });

  test('is not what it was before the write', async () => {
    const before = event('MODIFIED', tenantClaim('4', 'Bound'));
    assert.equal((await observed([before, own], true)).kind, 'stayed');
  });

  test('is that it was deleted', async () => {
    assert.equal(
      (await observed([own, event('DELETED', tenantClaim('6', 'Lost', true))], true, 60_000)).kind,
      'deleted',
    );
  });

  test('is unseen where the watch ends each time, or shows nothing of the write', async () => {
    assert.equal((await observed([own], false)).kind, 'unseen');
    assert.equal((await observed([], true)).kind, 'unseen');
  });
});
