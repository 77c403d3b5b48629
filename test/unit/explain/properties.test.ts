/** What holds for every pair, however odd its objects are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { explain } from '../../../src/reconcile/explain/explain.ts';
import type { ClaimDetails, Scene, Side, VolumeDetails } from '../../../src/reconcile/explain/scene.ts';
import { judge } from '../../../src/reconcile/judge.ts';
import type { Claim, Evidence, Volume } from '../../../src/reconcile/model.ts';
import { evidenceOfBoth, pair as pairs } from '../../support/generators.ts';

const lifecycle = { finalizers: ['kubernetes.io/pvc-protection'], deletionTimestamp: '' };

function detailed(claim: Claim | null): ClaimDetails | null {
  return claim === null ? null : { ...claim, ...lifecycle };
}

function volumeOf(volume: Volume | undefined): VolumeDetails | null {
  if (volume === undefined) return null;
  return { ...volume, ...lifecycle, claimRefResourceVersion: '5', provisionedBy: '', copyOf: '', disk: '' };
}

function sideOf(
  side: Side['side'],
  claim: ClaimDetails | null,
  other: Claim | null,
  evidence: Evidence,
): Side {
  const volumeName = claim?.volumeName || other?.volumeName || '';
  return {
    side,
    claim,
    volumeName,
    volume: volumeOf(evidence.volumes?.byName.get(volumeName)),
    storageClass: evidence.storageClasses?.get(claim?.storageClass ?? '') ?? null,
  };
}

const scenes: fc.Arbitrary<Scene> = fc
  .record({ pair: pairs, evidence: evidenceOfBoth })
  .map(({ pair, evidence }) => {
    const [tenant, superClaim] = [detailed(pair.tenant), detailed(pair.super)];
    return {
      virtualCluster: { namespace: 'team', name: 'vc' },
      judgement: judge({ ...pair, tenant, super: superClaim }, evidence),
      settling: false,
      tenant: sideOf('tenant', tenant, superClaim, evidence.tenant),
      super: sideOf('super', superClaim, tenant, evidence.super),
      claimant: null,
      volumesOfSuperClaim: [],
      storageClasses: [],
    };
  });

const RUNS = { numRuns: 3000 };

test('every pair is explained: four nodes, four links, an answer, a remedy or why there is none', () => {
  fc.assert(
    fc.property(scenes, (scene) => {
      const { chain, summary, data, remedy, syncer, facts } = explain(scene);
      assert.equal(chain.nodes.length, 4);
      assert.equal(chain.links.length, 4);
      for (const text of [summary, data.text, remedy.text, syncer]) assert.match(text, /^\S.*[.)]$/);
      assert.ok(facts.length >= 2);
      assert.equal(remedy.steps.length > 0, remedy.kind === 'mend' || remedy.kind === 'protect');
      assert.equal(remedy.risk === null, remedy.steps.length === 0);
    }),
    RUNS,
  );
});

test('a mismatch always shows a broken link, except a stale hold', () => {
  fc.assert(
    fc.property(scenes, (scene) => {
      const { chain, mismatch, verdict } = explain(scene);
      if (!mismatch || verdict === 'HoldStale') return;
      assert.ok(chain.links.some(({ state }) => state === 'broken'));
    }),
    RUNS,
  );
});

test('every step tests uid and resourceVersion of its object, and none touches the volume of another claim', () => {
  fc.assert(
    fc.property(scenes, (scene) => {
      for (const { cluster, kind, patch } of explain(scene).remedy.steps) {
        const { claim, volume } = scene[cluster];
        const object = kind === 'PersistentVolume' ? volume : claim;
        assert.ok(object !== null && volume !== null);
        assert.deepEqual(patch.slice(0, 2), [
          { op: 'test', path: '/metadata/uid', value: object.uid },
          { op: 'test', path: '/metadata/resourceVersion', value: object.resourceVersion },
        ]);
        const ref = volume.claimRef;
        const place =
          cluster === 'super' ? scene.judgement.pair.superNamespace : scene.judgement.pair.owner.namespace;
        const isOwn =
          ref === null
            ? claim !== null && claim.bindCompleted && claim.volumeName === volume.name
            : ref.uid === claim?.uid || (ref.namespace === place && ref.name === 'data');
        assert.ok(isOwn);
        const binds = patch.some(({ path }) => path === '/spec/volumeName' || path === '/spec/claimRef/uid');
        assert.ok(!(binds && volume.terminating));
      }
    }),
    RUNS,
  );
});

test('a disk in danger is never left without the command that keeps it', () => {
  fc.assert(
    fc.property(scenes, (scene) => {
      const { data, remedy } = explain(scene);
      if (data.state !== 'danger' || scene.super.volume?.resourceVersion === '') return;
      assert.ok(
        remedy.steps.some(
          ({ cluster, name, patch }) =>
            cluster === 'super' &&
            name === scene.super.volume?.name &&
            patch.some((operation) => operation.op === 'replace' && operation.value === 'Retain'),
        ),
        remedy.text,
      );
    }),
    RUNS,
  );
});

test('nothing binds one side to another volume than the other side names', () => {
  fc.assert(
    fc.property(scenes, (scene) => {
      for (const { cluster, patch } of explain(scene).remedy.steps) {
        const binds = patch.some(({ op, path }) => op === 'add' && /volumeName|claimRef/.test(path));
        if (!binds) continue;
        const other = scene[cluster === 'super' ? 'tenant' : 'super'].claim?.volumeName ?? '';
        assert.ok(other === '' || other === scene[cluster].volume?.name);
      }
    }),
    RUNS,
  );
});

test('a disk that is said to be safe is neither being reclaimed nor deleted with its volume', () => {
  fc.assert(
    fc.property(scenes, (scene) => {
      const { volume } = scene.super;
      if (volume === null || explain(scene).data.state !== 'safe' || volume.reclaimPolicy === 'Retain')
        return;
      assert.ok(!volume.terminating && volume.phase !== 'Released' && volume.phase !== 'Failed');
    }),
    RUNS,
  );
});
