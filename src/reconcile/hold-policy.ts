/**
 * What makes a written phase stay: a ValidatingAdmissionPolicy in the tenant. Its PV controller may say Bound about a
 * held claim as often as it likes, and is refused (k8s.io/kubernetes pkg/controller/volume/persistentvolume/
 * pv_controller.go, updateClaimStatus: it tries again at its next sync). Everything else passes.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { BOUND, HOLD_CONDITION } from './model.ts';

/** The name of the policy and of its binding. */
export const HOLD_NAME = 'vc-pvc-hold';

/** On everything of ours that can carry labels. */
export const MANAGED_BY = { 'app.kubernetes.io/managed-by': 'vc-pvc' } as const;

/** Finds it. */
export const MANAGED_BY_SELECTOR = 'app.kubernetes.io/managed-by=vc-pvc';

const API_VERSION = 'admissionregistration.k8s.io/v1';
const REVISION = 'vc-pvc.tenancy.x-k8s.io/revision';

const DESCRIPTION =
  'Installed by kubectl vc-pvc sync --hold. While the claim behind a tenant claim is not Bound in the super cluster, ' +
  `the tenant claim carries the condition ${HOLD_CONDITION}=False and shows the super claim's phase; this policy keeps ` +
  'the phase from being set back to Bound. It does nothing to other claims, to deletions or to specs. ' +
  'To be rid of it: kubectl vc-pvc sync --release-all.';

const CONDITION = `c.type == '${HOLD_CONDITION}' && c.status == 'False'`;
const IS_BOUND = (object: string): string =>
  `has(${object}.status) && has(${object}.status.phase) && ${object}.status.phase == '${BOUND}'`;

/** What a probe's condition gives as its reason; with the revision behind it, so that an older policy lets it pass. */
const PROBE = 'HoldProbe';

/** All defaults spelled out, so that what the API server gives back can be compared with it. */
const RULES = {
  // An expression that fails must not stand in the way of the tenant's status updates.
  failurePolicy: 'Ignore',
  matchConstraints: {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    resourceRules: [
      {
        apiGroups: [''],
        apiVersions: ['v1'],
        operations: ['UPDATE'],
        resources: ['persistentvolumeclaims/status'],
        scope: '*',
      },
    ],
  },
  matchConditions: [
    {
      name: 'held',
      expression: `has(object.status) && has(object.status.conditions) && object.status.conditions.exists(c, ${CONDITION})`,
    },
  ],
};

const BOUND_RULE = {
  // A held claim that is Bound already (written before there was a policy) may be updated as ever.
  expression: `!(${IS_BOUND('object')}) || (${IS_BOUND('oldObject')})`,
  message:
    'the claim behind this one is not Bound in the super cluster; kubectl vc-pvc holds this phase until it is',
};

/** Identifies the rules: a policy that carries another one is of another version of this program. */
const revision = createHash('sha256')
  .update(JSON.stringify([RULES, BOUND_RULE]))
  .digest('hex')
  .slice(0, 8);

/** The reason that the policy refuses always. */
const PROBE_REASON = `${PROBE}${revision}`;

const METADATA = {
  name: HOLD_NAME,
  labels: MANAGED_BY,
  annotations: { 'kubernetes.io/description': DESCRIPTION, [REVISION]: revision },
};

/** The policy (admissionregistration.k8s.io/v1, served since Kubernetes 1.30). */
export const HOLD_POLICY = {
  apiVersion: API_VERSION,
  kind: 'ValidatingAdmissionPolicy',
  metadata: METADATA,
  spec: {
    ...RULES,
    validations: [
      BOUND_RULE,
      {
        expression: `!object.status.conditions.exists(c, ${CONDITION} && has(c.reason) && c.reason == '${PROBE_REASON}')`,
        message: 'a probe of kubectl vc-pvc: the policy is in effect',
      },
    ],
  },
} as const;

/** Its binding: for every namespace. */
export const HOLD_BINDING = {
  apiVersion: API_VERSION,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: METADATA,
  spec: { policyName: HOLD_NAME, validationActions: ['Deny'] },
} as const;

/**
 * The strategic merge patch of any claim's `/status` that the policy refuses once it is in effect, whatever the claim
 * is like. Only ever to be sent as a dry run.
 */
export const PROBE_PATCH = {
  status: { conditions: [{ type: HOLD_CONDITION, status: 'False', reason: PROBE_REASON }] },
} as const;

/** Whether an API server's refusal is this policy's (k8s.io/apiserver pkg/admission/plugin/policy/validating, dispatcher.go). */
export function isRefusalOfHold(message: string): boolean {
  return message.includes(`'${HOLD_NAME}'`) && message.includes('denied');
}

/** What stands under the name of the policy or binding. */
export type Standing = 'absent' | 'ours' | 'outdated' | 'foreign';

/**
 * A spec with anything more or less than ours may refuse less than ours does, or more.
 * @param found the object as the API server holds it, any value accepted; null where there is none
 * @param wanted HOLD_POLICY or HOLD_BINDING
 */
export function standingOf(found: unknown, wanted: typeof HOLD_POLICY | typeof HOLD_BINDING): Standing {
  if (found === null) return 'absent';
  const { metadata, spec } = found as {
    metadata?: Partial<Record<'labels' | 'annotations', unknown>>;
    spec?: unknown;
  };
  const valueOf = (map: unknown, key: string): unknown =>
    typeof map === 'object' && map !== null ? (map as Record<string, unknown>)[key] : undefined;
  const [[label, value]] = Object.entries(MANAGED_BY) as [[string, string]];
  if (valueOf(metadata?.labels, label) !== value) return 'foreign';
  const current = valueOf(metadata?.annotations, REVISION) === revision;
  return current && isDeepStrictEqual(spec, wanted.spec) ? 'ours' : 'outdated';
}
