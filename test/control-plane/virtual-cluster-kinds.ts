/** The kinds that VirtualCluster installs in a super cluster, reduced to what is served. */
import type { Json } from './api.ts';
import type { ControlPlane } from './control-plane.ts';
import { eventually } from './eventually.ts';

const GROUP = 'tenancy.x-k8s.io';

/** Installs VirtualCluster and ClusterVersion and waits until both are served. Upstream's status is no subresource. */
export async function installVirtualCluster({ api }: ControlPlane): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (const definition of DEFINITIONS) await api.create(path, definition);
  for (const { metadata, spec } of DEFINITIONS) {
    await eventually(`${metadata.name} to be established`, async () =>
      (await api.get(`${path}/${metadata.name}`)).status?.conditions?.some(
        (condition: Json) => condition.type === 'Established' && condition.status === 'True',
      ),
    );
    // Established is a few milliseconds ahead of what this server serves.
    await eventually(`${metadata.name} to be served`, () =>
      api.find(`/apis/${GROUP}/v1alpha1/${spec.names.plural}`),
    );
  }
}

const DEFINITIONS = [
  definition('Namespaced', {
    kind: 'VirtualCluster',
    plural: 'virtualclusters',
    singular: 'virtualcluster',
    shortNames: ['vc'],
  }),
  definition('Cluster', { kind: 'ClusterVersion', plural: 'clusterversions', singular: 'clusterversion' }),
];

interface Names {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames?: readonly string[];
}

function definition(scope: 'Namespaced' | 'Cluster', names: Names) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope,
      names,
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
}
