/** Prints what a watch tells: rows to stdout, health and troubles to stderr. */
import { oneLine } from '../errors.ts';
import { count, nameOf } from '../output/summary.ts';
import { WatchRows } from '../output/watch-rows.ts';
import type { WatchPrintOptions } from '../output/watch-rows.ts';
import type { VirtualClusterName } from '../reconcile/report.ts';
import { isMismatch } from '../reconcile/verdict.ts';
import type { FleetWatch } from '../watch/fleet-watch.ts';
import type { RowEvent, TenantHealth, WatchObserver } from '../watch/observer.ts';
import type { Surroundings } from './check.ts';

/** Nothing is printed of rows before `begin`: the first ones are sorted, as a list is. */
export class WatchPrinter implements WatchObserver {
  readonly #surroundings: Surroundings;
  readonly #rows: WatchRows;
  /** Null once begun. */
  #first: Map<string, RowEvent> | null = new Map();
  readonly #down = new Set<string>();
  #superDown = false;
  /** The last trouble of each tenant: the same again is not told again. */
  readonly #troubles = new Map<string, string>();

  constructor(options: WatchPrintOptions, surroundings: Surroundings) {
    this.#surroundings = surroundings;
    this.#rows = new WatchRows(options);
  }

  start(): void {}

  /** The first look is over: prints all rows there are, and from now on each change. */
  begin(fleet: FleetWatch): void {
    const events = [...(this.#first?.values() ?? [])];
    this.#first = null;
    this.#surroundings.stdout.write(this.#rows.first(events));
    this.#line(watchedLine([...fleet.tenants()], fleet.running, events));
  }

  stop(): void {}

  row(event: RowEvent): void {
    if (this.#first === null) {
      this.#surroundings.stdout.write(this.#rows.next(event));
      return;
    }
    const { virtualCluster, tenant } = event.row.item;
    const place = `${nameOf(virtualCluster)}/${tenant?.namespace}/${tenant?.name}`;
    if (event.type === 'DELETED') this.#first.delete(place);
    else this.#first.set(place, { ...event, type: 'ADDED' });
  }

  health({ virtualCluster, state, error, retryIn }: TenantHealth): void {
    const name = nameOf(virtualCluster);
    if (state === 'down') {
      this.#down.add(name);
      const next = retryIn === 0 ? '' : `; next attempt in ${Math.ceil(retryIn / 1000)}s`;
      this.#line(`error: ${name}: ${error}${next}`);
    } else if (state === 'up' && this.#down.delete(name)) {
      this.#line(`${name}: reached again`);
    }
  }

  superHealth(up: boolean, error: string): void {
    if (up === !this.#superDown) return;
    if (!up && error === '') return;
    this.#superDown = !up;
    this.#line(up ? 'super cluster: reached again' : `error: super cluster: ${error}`);
  }

  left(virtualCluster: VirtualClusterName): void {
    const name = nameOf(virtualCluster);
    this.#troubles.delete(name);
    if (this.#down.delete(name)) this.#line(`${name}: not watched any more`);
  }

  trouble(virtualCluster: VirtualClusterName, message: string): void {
    const name = nameOf(virtualCluster);
    if (this.#troubles.get(name) === message) return;
    this.#troubles.set(name, message);
    this.#line(`error: ${name}: ${message}`);
  }

  wrote(): void {}

  reverted(): void {}

  reconciled(): void {}

  #line(text: string): void {
    this.#surroundings.stderr.write(`${oneLine(text)}\n`);
  }
}

/** A watch that prints nothing must be told from one that sees nothing. */
function watchedLine(
  tenants: readonly { readonly state: { readonly claims: { readonly size: number } } }[],
  running: number,
  events: readonly RowEvent[],
): string {
  if (tenants.length === 0) {
    return running === 0
      ? 'watching: no VirtualCluster is Running here yet'
      : `watching: none of ${count(running, 'Running VirtualCluster')} is ours to watch yet`;
  }
  const claims = tenants.reduce((sum, { state }) => sum + state.claims.size, 0);
  const mismatched = events.filter(({ row }) => isMismatch(row.item.verdict)).length;
  return `watching ${count(claims, 'claim')} of ${count(tenants.length, 'VirtualCluster')}: ${count(mismatched, 'mismatch', 'mismatches')} so far`;
}
