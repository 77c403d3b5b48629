/** Which claim a question means. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printedCase } from '../../support/explained-case.ts';
import type { CaseObjects } from '../../support/explained-case.ts';

const ASKED = 'vc-sample-1/default/data';

function withoutTenantClaim({ tenant, tenantClaim }: CaseObjects): void {
  tenant.splice(tenant.indexOf(tenantClaim), 1);
}

test('a super claim without a tenant claim is found by its VirtualCluster', async () => {
  const { code, stdout } = await printedCase('consistent-bound', withoutTenantClaim, [], ASKED);
  assert.equal(code, 0);
  assert.match(stdout, /^ {2}SuperOrphan$/m);
});

test("another VirtualCluster's super claim is not taken for an orphan of this one", async () => {
  const change = (objects: CaseObjects): void => {
    withoutTenantClaim(objects);
    objects.superClaim.metadata.annotations['tenancy.x-k8s.io/cluster'] = 'someone-else';
  };
  const { code, stderr } = await printedCase('consistent-bound', change, [], ASKED);
  assert.equal(code, 2);
  assert.match(stderr, /claim default\/data not found in VirtualCluster vc-sample-1/);
});

test('an orphan is found in a super namespace that the marks alone tell', async () => {
  const change = (objects: CaseObjects): void => {
    withoutTenantClaim(objects);
    const { superClaim, superVolume } = objects;
    const isPlace = ({ kind, metadata }: CaseObjects['superClaim']): boolean =>
      kind === 'Namespace' && metadata.name === superClaim.metadata.namespace;
    objects.super.find(isPlace).metadata.name = 'custom-place';
    superClaim.metadata.namespace = 'custom-place';
    superVolume.spec.claimRef.namespace = 'custom-place';
  };
  const { code, stdout } = await printedCase('consistent-bound', change, [], ASKED);
  assert.equal(code, 0);
  assert.match(stdout, /claim custom-place\/data of VirtualCluster default\/vc-sample-1\n {2}SuperOrphan$/m);
});

test('words that mean a super claim and a tenant claim of that very namespace are refused', async () => {
  let place = '';
  const change = ({ superClaim, tenant, tenantClaim }: CaseObjects): void => {
    const { namespace } = superClaim.metadata;
    place = namespace;
    tenant.push({ ...tenantClaim, metadata: { ...tenantClaim.metadata, namespace, uid: 'another' } });
  };
  const asked = 'default-cd10f5-vc-sample-1-default/data';
  const { code, stdout, stderr } = await printedCase('consistent-bound', change, [], asked);
  assert.equal(asked, `${place}/data`);
  assert.equal(code, 2);
  assert.equal(stdout, '');
  assert.ok(stderr.includes(`default/vc-sample-1/default/data, default/vc-sample-1/${place}/data`), stderr);
});
