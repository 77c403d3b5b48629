/** What a watch's writer does about a tenant that fails. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserError } from '../../../src/errors.ts';
import { NO_EVIDENCE } from '../../../src/reconcile/cause.ts';
import { judge } from '../../../src/reconcile/judge.ts';
import { claimFromJson } from '../../../src/kube/objects/from-json.ts';
import { ClaimWriter } from '../../../src/watch/claim-writer.ts';
import type { WriterOptions } from '../../../src/watch/claim-writer.ts';
import type { TenantSession } from '../../../src/watch/tenant-session.ts';
import { TenantState } from '../../../src/watch/tenant-state.ts';
import { claimObject, marksOf } from '../../support/fake-watched-fleet.ts';

/** A fake session, with a tenant that refuses all that --hold asks. */
const refusing = (): TenantSession =>
  ({
    keeper: { seeTo: () => Promise.reject(new UserError('Unauthorized')) },
    signal: new AbortController().signal,
  }) as unknown as TenantSession;

const silent = { wrote: () => {}, trouble: () => {} } as unknown as WriterOptions['observer'];

/** A writer, and a claim that is due in a tenant of this session. */
function scene(session: TenantSession) {
  const judgement = judge(
    {
      owner: { clusterKey: 'team-first', namespace: 'shop' },
      tenant: claimFromJson(claimObject('shop', 'a', 'uid-a', 'Bound')),
      super: claimFromJson(
        claimObject('first-shop', 'a', 'uid-s', 'Lost', marksOf('first', 'shop', 'uid-a')),
      ),
      superNamespace: 'first-shop',
    },
    { tenant: NO_EVIDENCE, super: NO_EVIDENCE },
  );
  const { plan } = judgement;
  assert.ok(plan !== null);
  const writer = new ClaimWriter({
    superCluster: session.reader,
    grace: 0,
    now: Date.now,
    signal: new AbortController().signal,
    observer: silent,
    failed: assert.ifError,
  });
  const virtualCluster = {
    namespace: 'team',
    name: 'first',
    uid: 'uid',
    phase: 'Running',
    clusterNamespace: 'team-first',
    adminKubeconfig: '',
    adminKubeconfigSecret: '',
  };
  const tenant = new TenantState(virtualCluster, { claim: () => {}, row: () => {}, place: () => {} });
  tenant.session = session;
  const perform = () => writer.perform(tenant, session, 'shop/a', judgement, plan, 0);
  const notYet = () => writer.notYet(tenant, 'shop/a', judgement, plan);
  return { tenant, perform, notYet };
}

test('the pause after failures is over when the tenant is reached anew', async () => {
  const { tenant, perform, notYet } = scene(refusing());
  assert.equal((await perform()).outcome, 'Failed');
  assert.ok(notYet() !== null, 'it is left alone for a while');
  tenant.session = refusing();
  assert.equal(notYet(), null);
});

test('claims that fail side by side are one failure: a moment without an answer costs a tenant no minutes', async () => {
  const { perform, notYet } = scene(refusing());
  const together = await Promise.all(Array.from({ length: 8 }, perform));
  for (const { outcome, again } of together) {
    assert.equal(outcome, 'Failed');
    assert.ok(again !== null && again <= 1_000, `${again} ms`);
  }
  const waiting = notYet()?.again ?? null;
  assert.ok(waiting !== null && waiting <= 1_000, `${waiting} ms`);
});
