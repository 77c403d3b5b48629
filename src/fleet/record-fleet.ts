/** A live fleet into the files of a recording. */
import type { ApiConnection } from '../kube/connection.ts';
import { clusterKey } from '../reconcile/mapping.ts';
import type { VirtualCluster } from '../reconcile/model.ts';
import type { SuperClaims } from '../reconcile/pair.ts';
import type { ReportError } from '../reconcile/report.ts';
import { listText } from '../snapshot/list-text.ts';
import type { NewFolder } from '../snapshot/new-folder.ts';
import { recordVirtualCluster } from '../snapshot/record.ts';
import type { RecordedObject } from '../snapshot/recorded.ts';
import { redact } from '../snapshot/redact.ts';
import type { Side } from '../snapshot/redact.ts';
import type { RedactedNames } from '../snapshot/redacted-names.ts';
import { tenantPath } from '../snapshot/snapshot.ts';
import type { Deadline } from './deadline.ts';
import { eachTenant } from './each-tenant.ts';
import type { Fleet, TenantsOptions } from './each-tenant.ts';
import { RecordScope } from './record-scope.ts';
import { SuperRecorder, inTurn } from './record-super.ts';
import { recordTenant } from './record-tenant.ts';
import { unknownNamespaces } from './unknown-namespaces.ts';

export interface FleetToRecord {
  readonly superApi: ApiConnection;
  readonly tenant: Fleet['tenant'];
  /** All that go into the recording. */
  readonly virtualClusters: readonly VirtualCluster[];
  /** Those of them whose tenants do. */
  readonly running: readonly VirtualCluster[];
}

export interface RecordOptions extends TenantsOptions {
  /** Tenant namespaces to record; empty for all. */
  readonly tenantNamespaces: readonly string[];
  /** Whether this is all that can be seen; if not, few claims may be wanted of many, and are listed by namespace. */
  readonly everything: boolean;
  /** null where names stay as they are. */
  readonly names: RedactedNames | null;
  readonly onClaims: (more: number) => void;
}

export interface Recorded {
  /** Tenants that could not be read: the recording is without them. */
  readonly errors: readonly ReportError[];
  /** A line for each tenant namespace that was asked for and that none of them has. */
  readonly unknownNamespaces: readonly string[];
  readonly tenants: number;
  /** Of these tenants. */
  readonly claims: number;
}

/**
 * Writes every file of the folder, which the caller then completes.
 * @throws UserError where the super cluster cannot be read, the folder cannot be written, or the signal ends it
 */
export async function recordFleet(
  fleet: FleetToRecord,
  folder: NewFolder,
  options: RecordOptions,
): Promise<Recorded> {
  const { names } = options;
  const scope = new RecordScope(fleet.running, options.tenantNamespaces);
  const superRecorder = new SuperRecorder(fleet.superApi, { ...options, scope });
  const write = fileWriter(folder, names);
  const volumeNames = new Set<string>();
  const withoutClaims = new Set(options.tenantNamespaces);
  const done = { tenants: 0, claims: 0 };
  // A disk that is full is no tenant's failure: it ends everything.
  const broken = new AbortController();
  const signal = AbortSignal.any([options.signal, broken.signal]);

  const superClaims = superRecorder.index(fleet.running, signal);
  // Awaited first by the tenants: this keeps an early failure from being called unhandled.
  superClaims.catch(() => {});
  const errors = await eachTenant(
    fleet,
    fleet.running,
    { ...options, signal },
    async (virtualCluster, { api }, deadline) => {
      if (api === null) throw new TypeError('a tenant without an API server cannot be recorded');
      const key = clusterKey(virtualCluster);
      const records = await deadline.bound(
        recordTenant(
          key,
          api,
          superRecorder.claims,
          untimed(superClaims, deadline),
          { ...options, scope },
          deadline.signal,
        ),
      );
      deadline.clear();
      for (const namespace of records.namespaces) {
        names?.learn(key, namespace);
        withoutClaims.delete(namespace);
      }
      for (const name of records.volumeNames) volumeNames.add(name);
      const path = tenantPath(names?.virtualCluster(virtualCluster) ?? virtualCluster);
      await write(`${path}.yaml`, inTurn(records.objects), 'tenant').catch((error: unknown) =>
        broken.abort(error),
      );
      done.tenants += 1;
      done.claims += records.count;
      return [];
    },
  );
  signal.throwIfAborted();
  // Not a tenant's failure: told once, for all.
  await superClaims;
  const rest = await superRecorder.objects(volumeNames, signal);
  await write('super.yaml', superObjects(fleet.virtualClusters, rest, names), 'super');
  // A tenant that was not read might have them.
  const sought = errors.length === 0 ? [...withoutClaims] : [];
  const unknown = await unknownNamespaces(fleet, fleet.running, sought, { ...options, signal });
  return { errors, unknownNamespaces: unknown, ...done };
}

type WriteFile = (path: string, objects: Iterable<RecordedObject>, side: Side) => Promise<void>;

function fileWriter(folder: NewFolder, names: RedactedNames | null): WriteFile {
  return (path, objects, side) => {
    const shown =
      names === null ? objects : Iterator.from(objects).map((object) => redact(object, side, names));
    return folder.write(path, listText(shown));
  };
}

/** The super cluster's list is shared and may take longer than one tenant is given: the clock stands still. */
function untimed(superClaims: Promise<SuperClaims>, deadline: Deadline): () => Promise<SuperClaims> {
  return () => {
    deadline.clear();
    return superClaims.finally(() => deadline.restart());
  };
}

function* superObjects(
  virtualClusters: readonly VirtualCluster[],
  rest: Iterable<RecordedObject>,
  names: RedactedNames | null,
): Generator<RecordedObject> {
  for (const one of virtualClusters) yield recordVirtualCluster(names?.virtualCluster(one) ?? one);
  yield* rest;
}
