/** Recordings and servers may hold anything: no command and no terminal is led astray by it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { commandOf } from '../../../src/output/remedy-command.ts';
import type { Step } from '../../../src/reconcile/explain/explanation.ts';
import { explainedCase, printedCase } from '../../support/explained-case.ts';
import type { CaseObjects } from '../../support/explained-case.ts';
import { runProcess } from '../../support/run-cli.ts';

const EVIL: readonly string[] = [
  "x'; touch owned; '",
  '$(touch owned)',
  '`touch owned`',
  'pv\ntouch owned\n',
  '--kubeconfig=elsewhere',
  '-o=yaml',
  'Upper',
  '../..',
  '\u001b[2J\u001b]0;owned\u0007',
  'a'.repeat(254),
];

const PLACES: Readonly<Record<string, (objects: CaseObjects, text: string) => void>> = {
  "the volume's name": ({ superVolume, tenantClaim }, text) => {
    superVolume.metadata.name = text;
    tenantClaim.spec.volumeName = text;
  },
  "the volume's uid": ({ superVolume }, text) => {
    superVolume.metadata.uid = `${text} '`;
  },
  "the claim's resourceVersion": ({ superClaim }, text) => {
    superClaim.metadata.resourceVersion = `${text} '`;
  },
};

for (const [place, write] of Object.entries(PLACES)) {
  test(`no command is printed where ${place} is none that Kubernetes makes`, async () => {
    for (const text of EVIL) {
      const { remedy } = await explainedCase('volume-name-cleared', (objects) => write(objects, text));
      assert.equal(remedy.kind, 'none', text);
      assert.deepEqual(remedy.steps, []);
    }
  });
}

test('no command is printed where uid or resourceVersion is missing: it would be unconditional', async () => {
  for (const field of ['uid', 'resourceVersion']) {
    for (const object of ['superClaim', 'superVolume'] as const) {
      const { remedy } = await explainedCase('claim-recreated-lost', (objects) => {
        delete objects[object].metadata[field];
      });
      assert.deepEqual(remedy.steps, [], `${object} ${field}`);
    }
  }
});

test('no text of an object reaches the terminal as more than text', async () => {
  const escape = '\u001b]0;owned\u0007\u001b[31m\u202eevil\n';
  for (const format of ['text', 'mermaid', 'json', 'yaml']) {
    const { stdout, stderr } = await printedCase(
      'volume-claimed-by-other',
      ({ superClaim, superVolume, tenantClaim, tenantVolume }) => {
        superVolume.spec.claimRef = { namespace: escape, name: escape, uid: escape };
        superVolume.spec.hostPath.path = escape;
        superVolume.spec.persistentVolumeReclaimPolicy = escape;
        superVolume.metadata.finalizers = [escape];
        superClaim.status.phase = escape;
        superClaim.spec.storageClassName = escape;
        tenantClaim.status.phase = escape;
        tenantVolume.status.phase = escape;
      },
      ['-o', format],
    );
    assert.match(stdout, /evil/, format);
    // oxlint-disable-next-line no-control-regex
    assert.doesNotMatch(stdout + stderr, /[\u0000-\u0009\u000b-\u001f\u007f\u202e]/, format);
  }
});

test('a mermaid diagram holds nothing that Mermaid or HTML would take for more than text', async () => {
  const { stdout } = await printedCase(
    'volume-claimed-by-other',
    ({ superVolume }) => {
      superVolume.spec.claimRef.namespace = '"]; click x call alert() <script>%%{init}%%';
    },
    ['-o', 'mermaid'],
  );
  assert.doesNotMatch(stdout, /<script|%%\{|"\]; click/);
});

test('any flags reach kubectl as they are, through a real shell', async () => {
  const step: Step = {
    cluster: 'super',
    kind: 'PersistentVolumeClaim',
    namespace: 'shop',
    name: 'data',
    patch: [
      { op: 'test', path: '/metadata/uid', value: 'u' },
      { op: 'remove', path: '/spec/claimRef/uid' },
    ],
    purpose: '',
  };
  const printable = fc.string({
    unit: fc.constantFrom(...` '"$\`\\!*?;&|<>(){}[]#~=%-ab/é`),
    minLength: 1,
    maxLength: 24,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(printable, { maxLength: 4 }), async (flags) => {
      const command = commandOf([step], flags) ?? '';
      const script = `kubectl() { printf '%s\\037' "$@"; }\n${command}`;
      const { stdout } = await runProcess('/bin/sh', ['-c', script]);
      const patch =
        '[\n  {"op":"test","path":"/metadata/uid","value":"u"},\n  {"op":"remove","path":"/spec/claimRef/uid"}]';
      const rest = ['-n', 'shop', 'patch', 'pvc', 'data', '--type=json', '-p', patch];
      assert.deepEqual(stdout.split('\u001f').slice(0, -1), [...flags, ...rest]);
    }),
    { numRuns: 60 },
  );
});

test('a flag that a terminal would obey is not printed at all', () => {
  assert.equal(commandOf([], ['--context', 'a\u001b[2Jb']), null);
  assert.equal(commandOf([], ['--context', 'a\nb']), null);
});
