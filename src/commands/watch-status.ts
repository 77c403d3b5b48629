/** What a watch serves beside its work: metrics for Prometheus, health for the kubelet. */
import { WatchMetrics } from '../metrics/watch-metrics.ts';
import type { Build } from '../metrics/watch-metrics.ts';
import type { Ownership } from '../replicas/ownership.ts';
import type { BindAddress } from '../serve/bind-address.ts';
import { startStatusServer } from '../serve/status-server.ts';
import type { StatusServer } from '../serve/status-server.ts';
import type { FleetWatch } from '../watch/fleet-watch.ts';
import type { WatchObserver } from '../watch/observer.ts';

/** Counts what a watch tells; what can be asked of the watch itself is asked at each scrape. */
export class WatchStatus {
  readonly metrics: WatchMetrics;
  readonly observer: WatchObserver;
  readonly #now: () => number;
  #fleet: FleetWatch | null = null;

  /** @param now milliseconds since the epoch */
  constructor(build: Build, now: () => number) {
    const metrics = new WatchMetrics(build);
    this.metrics = metrics;
    this.#now = now;
    this.observer = {
      row: () => {},
      health: ({ virtualCluster, state }) => {
        if (state !== 'starting') return;
        metrics.addTenant(virtualCluster, () => this.#lag(this.#fleet?.lastHeardOf(virtualCluster) ?? 0));
      },
      superHealth: () => {},
      trouble: () => {},
      left: (virtualCluster) => metrics.removeTenant(virtualCluster),
      wrote: (_virtualCluster, outcome, action, seconds) => {
        if (outcome === 'Contested' || outcome === 'Planned' || outcome === 'Accepted') return;
        metrics.countWrite(action, outcome);
        if (outcome === 'Held' || outcome === 'Written' || outcome === 'Released') {
          metrics.observeChangeToStatus(seconds);
        }
      },
      reverted: (virtualCluster) => metrics.countRevert(virtualCluster),
      reconciled: (seconds) => metrics.observeReconcile(seconds),
    };
  }

  /** @throws UserError where it cannot listen there */
  serve(address: BindAddress, fleet: FleetWatch, ownership: Ownership): Promise<StatusServer> {
    this.#fleet = fleet;
    this.metrics.setSuperLag(() => this.#lag(fleet.superLastHeard));
    return startStatusServer(address, {
      exposition: () => {
        this.#collect(fleet, ownership);
        return this.metrics.exposition();
      },
      notReady: () => notReady(fleet, ownership),
    });
  }

  /** @param verb HTTP method, WATCH for a watch @param code HTTP status; null where no answer came */
  countRequest(cluster: 'super' | 'tenant', verb: string, code: number | null): void {
    this.metrics.countRequest(cluster, VERBS[verb] ?? verb.toLowerCase(), code);
  }

  #collect(fleet: FleetWatch, ownership: Ownership): void {
    const { metrics } = this;
    metrics.setSuperUp(fleet.superIsUp);
    metrics.setLeaseHeld(ownership.state().holdsLease);
    let owned = 0;
    for (const { state, health } of fleet.tenants()) {
      owned += 1;
      const { virtualCluster } = state;
      metrics.setTenantUp(virtualCluster, health.state === 'up');
      if (!state.ready) continue;
      const { verdicts, causes, contested } = state.book.counts();
      for (const verdict of state.unshown.values()) {
        verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
      }
      const others = verdicts.values().reduce((sum, count) => sum + count, 0);
      verdicts.set('Consistent', Math.max(0, state.claims.size - others));
      metrics.setClaims(virtualCluster, { verdicts, causes });
      metrics.setContested(virtualCluster, contested);
    }
    metrics.setTenants(fleet.running, owned);
  }

  /** Seconds since an API server was heard; null where it never was. @param heard milliseconds since the epoch, 0 for never */
  #lag(heard: number): number | null {
    return heard === 0 ? null : Math.max(0, this.#now() - heard) / 1000;
  }
}

/** A replica that cannot see the super cluster, or whose lease has run out, does not do its work. */
function notReady(fleet: FleetWatch, ownership: Ownership): string | null {
  if (!fleet.superIsUp) return 'the super cluster is not being watched';
  if (!ownership.state().holdsLease) return 'this replica holds no lease';
  return null;
}

/** HTTP methods as Kubernetes names them. A list is counted as a get: which of the two it was, only its path tells. */
const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update' };
