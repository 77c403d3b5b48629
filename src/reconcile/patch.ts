/** A plan as the API server takes it. */
import { HOLD_CONDITION } from './model.ts';
import type { Plan } from './plan.ts';

/** Who wrote, in managedFields. */
export const FIELD_MANAGER = 'vc-pvc';

/**
 * The strategic merge patch of a claim's `/status` that performs a plan in one write. Conditions are merged by type
 * (k8s.io/api core/v1 types.go, PersistentVolumeClaimStatus), so every other one stays, and so does every other field.
 * The resourceVersion makes the API server answer 409 where the claim has changed since; the uid, 409 or 422 where
 * it is another claim of the same name.
 * @param now milliseconds since the epoch
 */
export function statusPatch(plan: Plan, now: number): object {
  return {
    metadata: { uid: plan.uid, resourceVersion: plan.resourceVersion },
    status: { phase: plan.phase, conditions: [conditionPatch(plan, kubernetesTime(now))] },
  };
}

function conditionPatch({ condition, held }: Plan, now: string): object {
  if (condition === null) return { $patch: 'delete', type: HOLD_CONDITION };
  // Left out, the time of the last transition stays as it is.
  return { ...condition, lastProbeTime: now, ...(held ? {} : { lastTransitionTime: now }) };
}

/** metav1.Time: RFC 3339 in whole seconds. @param milliseconds since the epoch */
export function kubernetesTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
