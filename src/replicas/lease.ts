/** The Lease of one replica: as it is read, and as it is written (k8s.io/api coordination/v1 types.go). */
import { fields, list, text } from '../kube/objects/from-json.ts';
import { MANAGED_BY, MANAGED_BY_SELECTOR } from '../reconcile/hold-policy.ts';

/** By these the leases of one group of replicas are told from other leases in the namespace. */
const LABELS = { ...MANAGED_BY, 'app.kubernetes.io/component': 'replica' } as const;
export const LEASE_SELECTOR = `${MANAGED_BY_SELECTOR},app.kubernetes.io/component=replica`;

/** The terms that a replica acts upon, as a JSON list. */
const ACTS_UPON = 'vc-pvc.tenancy.x-k8s.io/acts-upon';
const NAME_PREFIX = 'vc-pvc-';

/** A replica's lease, as much of it as is acted upon. */
export interface ReplicaLease {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** The process that holds it; "" where it was given back. */
  readonly holder: string;
  /** Counted up with each term, whoever's it is. */
  readonly transitions: number;
  /** Milliseconds, 0 where none is given. */
  readonly duration: number;
  /** Terms of other replicas: this one keeps off the tenants that are theirs. */
  readonly actsUpon: ReadonlySet<string>;
}

/** What a replica says of itself. */
export interface LeaseContent {
  readonly name: string;
  readonly holder: string;
  readonly transitions: number;
  /** Milliseconds; a lease says whole seconds, rounded up. */
  readonly duration: number;
  readonly actsUpon: readonly string[];
}

/**
 * A term: one process from the moment its lease is announced until it gives it back or may have lost it. What is known
 * of a term's end holds for good; the process goes on, if it does, in another term.
 */
export function termOf({ holder, transitions }: { holder: string; transitions: number }): string {
  return `${holder}/${transitions}`;
}

/** The name of a replica's Lease. @param replica its name: one in its namespace */
export function leaseName(replica: string): string {
  return `${NAME_PREFIX}${replica}`;
}

/** The replica that a Lease is named after. */
export function replicaOf(leaseName: string): string {
  return leaseName.startsWith(NAME_PREFIX) ? leaseName.slice(NAME_PREFIX.length) : leaseName;
}

/** The leases of a `coordination.k8s.io/v1.LeaseList`; any object accepted. */
export function leasesFromJson(value: unknown): ReplicaLease[] {
  return list(fields(value)['items']).map(leaseFromJson);
}

function leaseFromJson(value: unknown): ReplicaLease {
  const object = fields(value);
  const metadata = fields(object['metadata']);
  const spec = fields(object['spec']);
  return {
    name: text(metadata['name']),
    uid: text(metadata['uid']),
    resourceVersion: text(metadata['resourceVersion']),
    holder: text(spec['holderIdentity']),
    transitions: whole(spec['leaseTransitions']),
    duration: whole(spec['leaseDurationSeconds']) * 1000,
    actsUpon: termsIn(text(fields(metadata['annotations'])[ACTS_UPON])),
  };
}

/**
 * The Lease to send.
 * @param resourceVersion of the lease that it takes the place of; null where there is none
 * @param times milliseconds since the epoch, for people to read: no replica acts upon another's clock
 */
export function leaseObject(
  { name, holder, transitions, duration, actsUpon }: LeaseContent,
  resourceVersion: string | null,
  times: { readonly acquired: number; readonly renewed: number },
): object {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name,
      labels: LABELS,
      annotations: { [ACTS_UPON]: JSON.stringify(actsUpon) },
      ...(resourceVersion === null ? {} : { resourceVersion }),
    },
    spec: {
      holderIdentity: holder,
      leaseDurationSeconds: Math.ceil(duration / 1000),
      leaseTransitions: transitions,
      acquireTime: microTime(times.acquired),
      renewTime: microTime(times.renewed),
    },
  };
}

/** metav1.MicroTime has six digits (k8s.io/apimachinery pkg/apis/meta/v1/micro_time.go). */
function microTime(time: number): string {
  return new Date(time).toISOString().replace('Z', '000Z');
}

function whole(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** None where the annotation is missing or spoilt: nobody is then taken to keep off anything. */
function termsIn(annotation: string): ReadonlySet<string> {
  try {
    return new Set(list(JSON.parse(annotation)).filter((term) => typeof term === 'string'));
  } catch {
    return new Set();
  }
}
