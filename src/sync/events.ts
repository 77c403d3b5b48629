/** Performs what reconcile/claim-event.ts describes: one Event a claim, counted up. */
import { mapConcurrently } from '../fleet/concurrency.ts';
import { STRATEGIC_MERGE_PATCH } from '../kube/api.ts';
import { fields, list } from '../kube/objects/from-json.ts';
import { pathSegment } from '../kube/resources.ts';
import { StatusError } from '../kube/status-error.ts';
import { claimEvent, eventName, recurrence } from '../reconcile/claim-event.ts';
import { MANAGED_BY_SELECTOR } from '../reconcile/hold-policy.ts';
import type { Plan } from '../reconcile/plan.ts';
import type { TenantApi } from './tenant-api.ts';
import { withTimeLimit } from './time-limit.ts';

/** Two runs that count up at the same time collide; each collision is one run's success. */
const MOST_COLLISIONS = 5;
const DELETIONS_AT_ONCE = 8;

/**
 * @param now milliseconds since the epoch
 * @param contested what was written has been undone several times
 * @throws StatusError, UserError
 */
export async function recordEvent(
  api: TenantApi,
  plan: Plan,
  now: number,
  contested: boolean,
): Promise<void> {
  const list = eventsPath(plan.namespace);
  for (let collisions = 0; ; collisions += 1) {
    try {
      const path = `${list}/${pathSegment(eventName(plan))}`;
      const seen = await api.find(path);
      await (seen === null
        ? api.send({ method: 'POST', path: list, body: claimEvent(plan, now, contested) })
        : api.send({
            method: 'PATCH',
            path,
            type: STRATEGIC_MERGE_PATCH,
            body: recurrence(plan, seen, now, contested),
          }));
      return;
    } catch (error) {
      if (error instanceof StatusError && isTerminating(error)) return;
      // 409: counted up or created in between; 404: it has expired in between.
      const collided = error instanceof StatusError && (error.code === 409 || error.code === 404);
      if (!collided || collisions >= MOST_COLLISIONS) throw error;
    }
  }
}

/** An Event that says "not Bound" of a claim that is Bound again would lie. @throws StatusError, UserError */
export async function removeEvent(api: TenantApi, plan: Plan): Promise<void> {
  const path = `${eventsPath(plan.namespace)}/${pathSegment(eventName(plan))}`;
  await ignoreGone(api.remove(path, {}));
}

/** Removes every Event of ours in the tenant. @param signal begins nothing new once aborted. @throws StatusError, UserError */
export async function removeEventsOf(api: TenantApi, signal: AbortSignal): Promise<void> {
  const query = { labelSelector: MANAGED_BY_SELECTOR };
  const answer = await withTimeLimit(
    (within) => api.connection.getJson('/api/v1/events', { query, signal: within }),
    signal,
  );
  const found = list(fields(answer)['items']);
  await mapConcurrently(found, DELETIONS_AT_ONCE, async (event) => {
    const { namespace, name, uid } = fields(fields(event)['metadata']);
    if (signal.aborted || typeof namespace !== 'string' || typeof name !== 'string') return;
    await ignoreGone(api.remove(`${eventsPath(namespace)}/${pathSegment(name)}`, { uid }));
  });
}

/** 409: another Event of the name, which is as good as gone; 403: its namespace is on the way out, and the Event with it. */
async function ignoreGone(removal: Promise<void>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    if (!(error instanceof StatusError) || (error.code !== 409 && !isTerminating(error))) throw error;
  }
}

/** k8s.io/apiserver pkg/admission/plugin/namespace/lifecycle, admission.go: nothing new where all is being deleted. */
function isTerminating({ code, statusMessage }: StatusError): boolean {
  return code === 403 && statusMessage.includes('being terminated');
}

function eventsPath(namespace: string): string {
  return `/api/v1/namespaces/${pathSegment(namespace)}/events`;
}
