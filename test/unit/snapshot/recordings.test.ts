/** Every recorded case and capture, served as if it were live, recorded again, and compared from there. */
import assert from 'node:assert/strict';
import { globSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, describe, test } from 'node:test';
import { fleetOf, startFakeFleet } from '../../support/fake-fleet.ts';
import type { FakeFleet } from '../../support/fake-fleet.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { assertRedacted } from '../../support/redaction.ts';

const DATA = fileURLToPath(new URL('../../data/', import.meta.url));
const recordings = ['cases', 'captures'].flatMap((group) =>
  readdirSync(join(DATA, group)).map((name) => join(group, name)),
);
const REPORT = ['--all', '--orphans', '-o', 'json'];

let scratch = '';
let fake: FakeFleet;
before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'vc-pvc-snapshot-'));
  fake = await startFakeFleet(scratch);
});
after(async () => {
  await fake.close();
  await rm(scratch, { recursive: true });
});

describe('snapshot of a recorded fleet', () => {
  for (const recording of recordings) {
    const original = join(DATA, recording);
    const tenants = globSync('*/*.yaml', { cwd: join(original, 'tenants') }).map((file) =>
      file.replace(/\.yaml$/, '').replaceAll('\\', '/'),
    );

    test(`${recording}: check says the same of the clusters, of the recording and of the recording's recording`, async () => {
      const flags = await fake.serve(await fleetOf(original, tenants));
      const directory = join(scratch, recording.replace('/', '-'));
      const written = await runInProcess(['snapshot', directory, ...flags]);
      assert.equal(written.code, 0, written.stderr);
      const from = await runInProcess(['check', '--from', original, ...REPORT]);
      assert.equal((await runInProcess(['check', '--grace=0', ...REPORT, ...flags])).stdout, from.stdout);
      assert.equal((await runInProcess(['check', '--from', directory, ...REPORT])).stdout, from.stdout);
    });

    test(`${recording}: with other names it says the same, and no name is left`, async () => {
      const flags = await fake.serve(await fleetOf(original, tenants));
      const directory = join(scratch, `${recording.replace('/', '-')}-plain`);
      await runInProcess(['snapshot', directory, ...flags]);
      const redacted = `${directory}-redacted`;
      const written = await runInProcess(['snapshot', redacted, '--redact', ...flags]);
      assert.equal(written.code, 0, written.stderr);
      await assertRedacted(directory, redacted);
    });
  }

  test('explain says the same of a recording as of what it was made of, but for where the disk is', async () => {
    const original = join(DATA, 'captures/broken');
    const flags = await fake.serve(await fleetOf(original, ['default/vc-sample-1', 'team-b/staging']));
    const directory = join(scratch, 'to-be-explained');
    await runInProcess(['snapshot', directory, ...flags]);
    const claims = (await runInProcess(['check', '--from', original, '-o', 'name'])).stdout
      .trim()
      .split('\n');
    assert.equal(claims.length, 6);
    for (const claim of claims) {
      const [of, ofOriginal] = await Promise.all(
        [directory, original].map(async (from) => {
          const { stdout } = await runInProcess(['explain', claim, '--from', from]);
          return stdout.replaceAll(/\s+/g, ' ').replaceAll(/local \/mnt\/disks\/\w+/g, 'local');
        }),
      );
      assert.match(of ?? '', / Evidence tenant: /);
      assert.equal(of, ofOriginal);
    }
  });
});
