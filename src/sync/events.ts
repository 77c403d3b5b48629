/** Performs what reconcile/claim-event.ts describes: one Event a claim, counted up. */
import { STRATEGIC_MERGE_PATCH } from '../kube/api.ts';
import { StatusError } from '../kube/status-error.ts';
import { claimEvent, eventName, recurrence } from '../reconcile/claim-event.ts';
import { MANAGED_BY_SELECTOR } from '../reconcile/hold-policy.ts';
import type { Plan } from '../reconcile/plan.ts';
import type { TenantApi } from './tenant-api.ts';

/** Two runs that count up at the same time collide; each collision is one run's success. */
const MOST_COLLISIONS = 5;

/** @param now milliseconds since the epoch. @throws StatusError, UserError */
export async function recordEvent(api: TenantApi, plan: Plan, now: number): Promise<void> {
  const list = eventsPath(plan.namespace);
  for (let collisions = 0; ; collisions += 1) {
    try {
      const path = `${list}/${encodeURIComponent(eventName(plan))}`;
      const seen = await api.find(path);
      await (seen === null
        ? api.send({ method: 'POST', path: list, body: claimEvent(plan, now) })
        : api.send({
            method: 'PATCH',
            path,
            type: STRATEGIC_MERGE_PATCH,
            body: recurrence(plan, seen, now),
          }));
      return;
    } catch (error) {
      // 409: counted up or created in between; 404: it has expired in between.
      const collided = error instanceof StatusError && (error.code === 409 || error.code === 404);
      if (!collided || collisions >= MOST_COLLISIONS) throw error;
    }
  }
}

/** An Event that says "not Bound" of a claim that is Bound again would lie. @throws StatusError, UserError */
export async function removeEvent(api: TenantApi, plan: Plan): Promise<void> {
  const path = `${eventsPath(plan.namespace)}/${encodeURIComponent(eventName(plan))}`;
  await api.remove(path, {});
}

/** Removes every Event of ours in the tenant. @throws StatusError, UserError */
export async function removeEventsOf(api: TenantApi): Promise<void> {
  const query = { labelSelector: MANAGED_BY_SELECTOR };
  const list = (await api.connection.getJson('/api/v1/events', { query })) as { items?: unknown };
  for (const item of Array.isArray(list.items) ? (list.items as EventObject[]) : []) {
    const { namespace, name } = item.metadata ?? {};
    if (typeof namespace !== 'string' || typeof name !== 'string') continue;
    await api.remove(`${eventsPath(namespace)}/${encodeURIComponent(name)}`, item);
  }
}

interface EventObject {
  readonly metadata?: { readonly namespace?: unknown; readonly name?: unknown };
}

function eventsPath(namespace: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
}
