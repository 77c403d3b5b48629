/**
 * Who read and wrote claims, as the API servers themselves record it (k8s.io/apiserver pkg/apis/audit/v1). Unlike a
 * watch such a record has no gaps: it goes on where the API server was killed and started again.
 */
import { readFile } from 'node:fs/promises';
import type { Json } from './api.ts';
import type { ControlPlane } from './control-plane.ts';

/** Each claim that is read alone or written, with what was answered; lists and watches would fill the disk. */
export const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  rules: [
    {
      level: 'RequestResponse',
      verbs: ['get', 'create', 'update', 'patch', 'delete'],
      resources: [{ group: '', resources: ['persistentvolumeclaims', 'persistentvolumeclaims/status'] }],
    },
    { level: 'None' },
  ],
};

/** One request that succeeded, and changed more than nothing. */
export interface AuditedRequest {
  readonly verb: string;
  /** Of the claim. */
  readonly name: string;
  /** It came from the program. */
  readonly ours: boolean;
  /** RFC 3339 with microseconds: comparable as text. */
  readonly received: string;
  readonly ended: string;
  /** The claim as it was answered. */
  readonly claim: Json;
}

/** What a control plane recorded, in the order in which it was received. */
export async function audited({ auditLog }: ControlPlane): Promise<AuditedRequest[]> {
  const lines = (await readFile(auditLog, 'utf8')).trimEnd().split('\n');
  return lines
    .map((line) => JSON.parse(line))
    .filter(
      ({ responseStatus, responseObject, requestURI }) =>
        responseStatus?.code < 300 &&
        responseObject?.kind === 'PersistentVolumeClaim' &&
        !requestURI.includes('dryRun='),
    )
    .map((event): AuditedRequest => ({
      verb: event.verb,
      name: event.objectRef.name ?? event.responseObject.metadata.name,
      ours: event.userAgent === 'kubectl-vc_pvc',
      received: event.requestReceivedTimestamp,
      ended: event.stageTimestamp,
      claim: event.responseObject,
    }))
    .sort((a, b) => compare(a.received, b.received));
}

/** What the program wrote to claims. */
export function writesOf(tenant: readonly AuditedRequest[]): AuditedRequest[] {
  return tenant.filter(({ verb, ours }) => ours && verb !== 'get');
}

/**
 * The program's writes to tenant claims that were not what the super claim called for.
 * A write is right if its super claim, made for exactly this tenant claim, had the phase at some time between the
 * program's last look at it and the write. @returns one line each
 */
export function wrongWrites(
  tenant: readonly AuditedRequest[],
  superRequests: readonly AuditedRequest[],
): string[] {
  return writesOf(tenant).flatMap((write) => {
    const ofClaim = superRequests.filter(({ name }) => name === write.name);
    const look = ofClaim.findLast(
      ({ verb, ours, ended }) => ours && verb === 'get' && ended < write.received,
    );
    const { uid } = write.claim.metadata;
    const { phase, conditions = [] } = write.claim.status;
    const held = conditions.some(({ type }: Json) => type === 'tenancy.x-k8s.io/SuperClaimBound');
    const what = `${write.received} ${write.name} (${uid}) was written ${phase}${held ? ', held' : ''}`;
    if (look === undefined) return [`${what} without a look at the super claim`];
    const seen = versions(ofClaim).filter(({ from, to }) => from <= write.ended && to >= look.received);
    const right = held !== (phase === 'Bound') && seen.some((one) => one.phase === phase && one.uid === uid);
    return right ? [] : [`${what}; the super claim since ${look.received}: ${JSON.stringify(seen)}`];
  });
}

/** A super claim for as long as it stayed the same. */
interface Version {
  readonly phase: string;
  /** Of the tenant claim that it was made for. */
  readonly uid: string;
  readonly from: string;
  readonly to: string;
}

function versions(requests: readonly AuditedRequest[]): Version[] {
  const first = new Map<string, AuditedRequest>();
  for (const request of requests) {
    const { resourceVersion } = request.claim.metadata;
    if (!first.has(resourceVersion)) first.set(resourceVersion, request);
  }
  const inOrder = [...first].sort(([a], [b]) => Number(a) - Number(b)).map(([, request]) => request);
  return inOrder.map(({ claim, received }, index) => ({
    phase: claim.status.phase,
    uid: claim.metadata.annotations?.['tenancy.x-k8s.io/uid'],
    from: received,
    to: inOrder[index + 1]?.ended ?? '9',
  }));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
