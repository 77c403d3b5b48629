/** Whatever the clusters hold, a recording of them says the same, and under other names it does too. */
import assert from 'node:assert/strict';
import { readFile, rm, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { fleet } from '../../support/fleet-generator.ts';
import { startFakeFleet, writeFleet } from '../../support/fake-fleet.ts';
import type { FakeFleet } from '../../support/fake-fleet.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { assertRedacted } from '../../support/redaction.ts';

/** Each brings a folder or two to the disk, which is what takes the time. */
const RUNS = { numRuns: 40 };
const REPORT = ['--all', '--orphans', '-o', 'json'];

let scratch = '';
let fake: FakeFleet;
before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'vc-pvc-any-fleet-'));
  fake = await startFakeFleet(scratch);
});
after(async () => {
  await fake.close();
  await rm(scratch, { recursive: true });
});

// Not compared with the live report: that reads no more than it needs, and in states that no controller leaves as they
// are for long a cause may depend on what else was read.
test('any fleet: the report on its recording is the report on all that the clusters hold', () =>
  fc.assert(
    fc.asyncProperty(fleet, async (objects) => {
      const flags = await fake.serve(objects);
      const directory = join(scratch, 'plain');
      await rm(directory, { recursive: true, force: true });
      const written = await runInProcess(['snapshot', directory, ...flags]);
      assert.equal(written.code, 0, written.stderr);
      const whole = join(scratch, 'whole');
      await rm(whole, { recursive: true, force: true });
      await writeFleet(objects, whole);
      const [of, ofWhole] = await Promise.all(
        [directory, whole].map(
          async (from) => (await runInProcess(['check', '--from', from, ...REPORT])).stdout,
        ),
      );
      assert.notEqual(of, '');
      assert.equal(of, ofWhole);
    }),
    RUNS,
  ));

test('any fleet: under other names the report is the same but for the names, and none of them is left', () =>
  fc.assert(
    fc.asyncProperty(fleet, async (objects) => {
      const flags = await fake.serve(objects);
      const [plain, redacted] = [join(scratch, 'plain'), join(scratch, 'redacted')];
      for (const directory of [plain, redacted]) await rm(directory, { recursive: true, force: true });
      await runInProcess(['snapshot', plain, ...flags]);
      const written = await runInProcess(['snapshot', redacted, '--redact', ...flags]);
      assert.equal(written.code, 0, written.stderr);
      await assertRedacted(plain, redacted);
      assert.doesNotMatch(await readFile(join(redacted, 'super.yaml'), 'utf8'), /acme/);
    }),
    RUNS,
  ));
