/** plugin/deploy on a real API server: every manifest is accepted as it is, and they fit each other. */
import assert from 'node:assert/strict';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Json } from '../control-plane/api.ts';
import { BASE, EXAMPLE, NAMESPACE, argsOf, built, kubectl } from '../control-plane/deployed.ts';
import { eventually } from '../control-plane/eventually.ts';
import { startFleet } from '../control-plane/fleet.ts';
import type { Fleet } from '../control-plane/fleet.ts';
import { monitoringTools } from '../control-plane/monitoring-tools.ts';

let fleet: Fleet;
describe('plugin/deploy', () => {
  before(async () => {
    fleet = await startFleet({ tenants: ['default/vc-sample-1'], controllerManagers: false });
  });
  after(() => fleet?.stop());

  test('the base needs no Prometheus operator: an API server without it takes everything', async () => {
    // Dry-run, a namespace would not be there for what is in it.
    await kubectl(fleet, 'create', 'namespace', NAMESPACE);
    const kinds = await kindsOf('apply', '-k', BASE, '--dry-run=server', '-o', 'json');
    assert.deepEqual(kinds, [
      'ClusterRole',
      'ClusterRoleBinding',
      'Deployment',
      'Namespace',
      'PodDisruptionBudget',
      'Role',
      'RoleBinding',
      'Service',
      'ServiceAccount',
    ]);
  });

  test('with both components everything is taken as it is, by the operator’s own schemas too', async () => {
    await installPrometheusOperatorKinds();
    const kinds = await kindsOf('apply', '-k', EXAMPLE, '--dry-run=server', '-o', 'json');
    for (const kind of ['ConfigMap', 'PrometheusRule', 'ServiceMonitor'])
      assert.ok(kinds.includes(kind), kind);
    // Really now; a field that the server would drop is a warning, or an error.
    const { stderr } = await kubectl(fleet, 'apply', '-k', EXAMPLE, '--validate=strict', '--server-side');
    assert.equal(stderr, '');
  });

  test('the pods pass the strictest Pod Security Standard, and the namespace enforces it', async () => {
    const { spec } = await fleet.super.api.get(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments/vc-pvc`);
    const pods = `/api/v1/namespaces/${NAMESPACE}/pods?dryRun=All`;
    const pod = {
      metadata: { name: 'pod', labels: spec.template.metadata.labels },
      spec: spec.template.spec,
    };
    assert.equal((await fleet.super.api.create(pods, pod)).metadata.name, 'pod');
    const [container] = pod.spec.containers;
    // By this name each is a replica of its own.
    const { valueFrom } = container.env.find(({ name }: Json) => name === 'POD_NAME');
    assert.equal(valueFrom.fieldRef.fieldPath, 'metadata.name');
    const weaker = { ...pod.spec, containers: [{ ...container, securityContext: {} }] };
    await assert.rejects(fleet.super.api.create(pods, { ...pod, spec: weaker }), /violates PodSecurity/);
  });

  test('the base only watches; the component sync makes it write and hold', async () => {
    assert.deepEqual(await argsOf(fleet, BASE), [
      'watch',
      '--output=json',
      '--output-watch-events',
      '--replicas-lease-namespace=$(POD_NAMESPACE)',
      '--metrics-bind-address=:8080',
    ]);
    assert.deepEqual((await argsOf(fleet, EXAMPLE)).slice(5), ['--sync', '--hold']);
  });

  test('Service, PodDisruptionBudget and ServiceMonitor select the pods, and the probes the port that they serve', async () => {
    const objects = await built(fleet, EXAMPLE);
    const of = (kind: string): Json => objects.find((object) => object.kind === kind);
    const { template } = of('Deployment').spec;
    const { labels } = template.metadata;
    for (const selector of [
      of('Deployment').spec.selector.matchLabels,
      of('Service').spec.selector,
      of('PodDisruptionBudget').spec.selector.matchLabels,
    ]) {
      for (const [key, value] of Object.entries(selector)) assert.equal(labels[key], value);
    }
    for (const [key, value] of Object.entries(of('ServiceMonitor').spec.selector.matchLabels)) {
      assert.equal(of('Service').metadata.labels[key], value);
    }
    const [{ port }] = of('ServiceMonitor').spec.endpoints;
    const served = of('Service').spec.ports.find((candidate: Json) => candidate.name === port);
    const [container] = template.spec.containers;
    const names = container.ports.map(({ name }: Json) => name);
    assert.deepEqual(names, [served.targetPort]);
    assert.deepEqual(names, [container.livenessProbe.httpGet.port]);
    assert.deepEqual(names, [container.readinessProbe.httpGet.port]);
    assert.ok(container.args.includes(`--metrics-bind-address=:${container.ports[0].containerPort}`));
  });

  test('a kustomization that sets another namespace moves everything into it', async () => {
    const folder = join(fleet.storage.directory, 'elsewhere');
    await mkdir(folder);
    await cp(BASE, join(folder, 'deploy'), { recursive: true });
    await cp(EXAMPLE, join(folder, 'deploy-example'), { recursive: true });
    const file = join(folder, 'deploy-example', 'kustomization.yaml');
    await writeFile(file, `${await readFile(file, 'utf8')}namespace: storage-truth\n`);
    const namespaces = new Set<string>();
    for (const object of await built(fleet, join(folder, 'deploy-example'))) {
      if (object.kind === 'Namespace') namespaces.add(object.metadata.name);
      if (object.metadata.namespace !== undefined) namespaces.add(object.metadata.namespace);
      for (const subject of object.subjects ?? []) namespaces.add(subject.namespace);
    }
    assert.deepEqual([...namespaces], ['storage-truth']);
  });
});

async function installPrometheusOperatorKinds(): Promise<void> {
  const { definitions } = await monitoringTools();
  for (const plural of ['servicemonitors', 'prometheusrules']) {
    await kubectl(
      fleet,
      'apply',
      '--server-side',
      '-f',
      join(definitions, `monitoring.coreos.com_${plural}.yaml`),
    );
    await eventually(`${plural} to be served`, () =>
      fleet.super.api.find(`/apis/monitoring.coreos.com/v1/${plural}`),
    );
  }
}

async function kindsOf(...args: readonly string[]): Promise<string[]> {
  const { items } = JSON.parse((await kubectl(fleet, ...args)).stdout);
  return [...new Set<string>(items.map(({ kind }: Json) => kind))].sort();
}
