/** The only replica. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soleOwnership } from '../../../src/replicas/ownership.ts';

test('the only replica may write every tenant, until it leaves', async () => {
  const sole = soleOwnership();
  let told = 0;
  const forget = sole.onChange(() => {
    told += 1;
  });
  assert.deepEqual([sole.owns('default/a'), sole.mayWrite('default/a')], [true, true]);
  assert.deepEqual(sole.state(), { replica: null, live: [], holdsLease: true, awaiting: [] });
  await sole.leave();
  assert.deepEqual([sole.owns('default/a'), sole.mayWrite('default/a'), told], [false, false, 1]);
  forget();
  await sole.leave();
  assert.equal(told, 1);
});
