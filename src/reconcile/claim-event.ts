/** The Event that tells a tenant's users why their claim is not Bound: `kubectl describe pvc` shows it. */
import { createHash } from 'node:crypto';
import { MANAGED_BY } from './hold-policy.ts';
import { kubernetesTime } from './patch.ts';
import type { Plan } from './plan.ts';

/** source.component and reportingComponent. */
const COMPONENT = 'vc-pvc';
/** The longest object name there is (k8s.io/apimachinery pkg/util/validation, DNS1123SubdomainMaxLength). */
const LONGEST_NAME = 253;

/**
 * The name of a claim's one Event: the same in every run, so that there is one to count up, and another one for
 * another claim of the same name.
 */
export function eventName({ name, uid }: Pick<Plan, 'name' | 'uid'>): string {
  const digest = createHash('sha256').update(uid).digest('hex').slice(0, 16);
  return `${name.slice(0, LONGEST_NAME - digest.length - 8)}.vc-pvc.${digest}`;
}

/**
 * The Event as it is first written (core/v1).
 * @param now milliseconds since the epoch
 * @param contested what was written has been undone several times
 */
export function claimEvent(plan: Plan, now: number, contested: boolean): object {
  const time = kubernetesTime(now);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: eventName(plan), namespace: plan.namespace, labels: MANAGED_BY },
    involvedObject: {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      namespace: plan.namespace,
      name: plan.name,
      uid: plan.uid,
      resourceVersion: plan.resourceVersion,
    },
    type: 'Warning',
    ...told(plan, contested),
    source: { component: COMPONENT },
    reportingComponent: COMPONENT,
    reportingInstance: '',
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
}

/**
 * The strategic merge patch that counts it up.
 * @param seen the Event as it stands, any object accepted
 * @param now milliseconds since the epoch
 * @param contested as for claimEvent
 */
export function recurrence(plan: Plan, seen: unknown, now: number, contested: boolean): object {
  const { count, metadata } = (seen ?? {}) as { count?: unknown; metadata?: { resourceVersion?: unknown } };
  return {
    metadata: { resourceVersion: metadata?.resourceVersion },
    count: (typeof count === 'number' && Number.isSafeInteger(count) ? count : 1) + 1,
    lastTimestamp: kubernetesTime(now),
    ...told(plan, contested),
  };
}

function told({ condition }: Plan, contested: boolean): { reason: string; message: string } {
  const message = condition?.message ?? '';
  if (!contested) return { reason: 'SuperClaimNotBound', message };
  const undone = 'something in this cluster keeps setting the phase back, and is answered ever less often';
  return { reason: 'SuperClaimContested', message: message === '' ? undone : `${message}; ${undone}` };
}
