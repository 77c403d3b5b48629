/** FAKE API servers of a super cluster and its tenants that hold given objects: states no real one can be brought into. */
import { mkdir, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { readObjects } from '../../src/snapshot/read-objects.ts';
import type { Json } from '../control-plane/api.ts';
import { fakeApiServer, sendJson } from './fake-api-server.ts';

/** Objects of one cluster, each with its kind. */
export type Objects = readonly Json[];

export interface FleetObjects {
  readonly super: Objects;
  /** By NAMESPACE/NAME of the VirtualCluster. */
  readonly tenants: Readonly<Record<string, Objects>>;
}

export interface FakeFleet {
  /** Flags that lead there. */
  readonly serve: (objects: FleetObjects) => Promise<readonly string[]>;
  /** Requests that are answered with this code, by a part of their path, or with 0 not at all; none at first. */
  readonly refusals: Map<string, number>;
  /** Milliseconds after which requests are answered, by a part of their path; none at first. */
  readonly delays: Map<string, number>;
  /** What a single object is when it is read by its name, by the end of its path; null: it is gone by then. */
  readonly meanwhile: Map<string, Json>;
  readonly requests: readonly string[];
  readonly close: () => Promise<void>;
}

const PLURALS: Readonly<Record<string, string>> = {
  virtualclusters: 'VirtualCluster',
  namespaces: 'Namespace',
  persistentvolumeclaims: 'PersistentVolumeClaim',
  persistentvolumes: 'PersistentVolume',
  storageclasses: 'StorageClass',
};
const WHOLE = Object.fromEntries(
  Object.values(PLURALS).map((kind) => [kind, (object: unknown) => object as Json]),
);
const PATH =
  /^\/(super|tenants\/[^/]+\/[^/]+)\/apis?(?:\/[^/]+)?\/v1(?:alpha1)?(?:\/namespaces\/([^/]+))?\/([a-z]+)(?:\/([^/]+))?$/;

/** @param directory for kubeconfig files */
export async function startFakeFleet(directory: string): Promise<FakeFleet> {
  let objects: FleetObjects = { super: [], tenants: {} };
  const refusals = new Map<string, number>();
  const delays = new Map<string, number>();
  const meanwhile = new Map<string, Json>();
  const server = await fakeApiServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const delay = [...delays].find(([part]) => path.includes(part));
    if (delay === undefined) answer(path, response);
    else setTimeout(answer, delay[1], path, response);
  });
  const answer = (path: string, response: ServerResponse): void => {
    const refused = [...refusals].find(([part]) => path.includes(part));
    if (refused?.[1] === 0) return;
    if (refused !== undefined) return sendJson(response, refused[1], { message: `refused: ${path}` });
    const changed = [...meanwhile].find(([end]) => path.endsWith(end));
    if (changed !== undefined) return sendJson(response, changed[1] === null ? 404 : 200, changed[1] ?? {});
    const [, cluster = '', namespace, plural = '', name] = PATH.exec(path) ?? [];
    const all =
      cluster === 'super' ? objects.super : (objects.tenants[cluster.slice('tenants/'.length)] ?? []);
    const found = all.filter(
      (object) =>
        object.kind === PLURALS[plural] &&
        (namespace === undefined || object.metadata.namespace === namespace) &&
        (name === undefined || object.metadata.name === name),
    );
    if (name === undefined) sendJson(response, 200, { kind: 'List', items: found });
    else sendJson(response, found.length === 0 ? 404 : 200, found[0] ?? {});
  };
  const kubeconfig = async (name: string, path: string): Promise<string> => {
    const file = join(directory, name);
    const cluster = { name: 'x', cluster: { server: `${server.url}/${path}` } };
    const context = { name: 'x', context: { cluster: 'x', user: '' } };
    await writeFile(
      file,
      JSON.stringify({ kind: 'Config', clusters: [cluster], contexts: [context], 'current-context': 'x' }),
    );
    return file;
  };
  return {
    refusals,
    delays,
    meanwhile,
    requests: server.requests,
    close: () => server.close(),
    serve: async (next) => {
      objects = next;
      const tenants = await Promise.all(
        Object.keys(next.tenants).map(
          async (tenant, index) =>
            `--tenant-kubeconfig=${tenant}=${await kubeconfig(`tenant-${index}`, `tenants/${tenant}`)}`,
        ),
      );
      return [`--kubeconfig=${await kubeconfig('super', 'super')}`, ...tenants];
    },
  };
}

/** The objects of a recording that somebody else wrote. */
export async function fleetOf(directory: string, tenants: readonly string[]): Promise<FleetObjects> {
  const all = async (file: string): Promise<Objects> =>
    Object.values(await readObjects(join(directory, file), WHOLE)).flat();
  return {
    super: await all('super.yaml'),
    tenants: Object.fromEntries(
      await Promise.all(
        tenants.map(async (tenant) => [tenant, await all(`tenants/${tenant}.yaml`)] as const),
      ),
    ),
  };
}

/** Writes objects whole, as a recording that `kubectl get -o json` made. */
export async function writeFleet(objects: FleetObjects, directory: string): Promise<void> {
  const files = new Map([['super', objects.super]]);
  for (const [tenant, all] of Object.entries(objects.tenants)) files.set(`tenants/${tenant}`, all);
  for (const [file, items] of files) {
    const path = join(directory, `${file}.json`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, JSON.stringify({ kind: 'List', items }));
  }
}
