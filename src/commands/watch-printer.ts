/** Prints what a watch tells: rows to stdout, health and troubles to stderr. */
import type { Writable } from 'node:stream';
import { Backlog } from '../output/backlog.ts';
import type { Change } from '../output/backlog.ts';
import { LevelOutput } from '../output/level-output.ts';
import type { Note } from '../output/level-output.ts';
import { count, nameOf } from '../output/summary.ts';
import { WatchRows } from '../output/watch-rows.ts';
import type { WatchPrintOptions } from '../output/watch-rows.ts';
import type { VirtualClusterName } from '../reconcile/report.ts';
import { isMismatch } from '../reconcile/verdict.ts';
import type { FleetWatch } from '../watch/fleet-watch.ts';
import type { RowEvent, TenantHealth, WatchObserver } from '../watch/observer.ts';

/** Nothing is printed of rows before `begin`: the first ones are sorted, as a list is. */
export class WatchPrinter implements WatchObserver {
  readonly #stdout: Writable;
  readonly #rows: WatchRows;
  /** Null once begun. */
  #first: Backlog<RowEvent> | null = new Backlog();
  readonly #changes: LevelOutput<RowEvent>;
  readonly #notes: LevelOutput<Note>;
  readonly #down = new Set<string>();
  #superDown = false;
  /** The last trouble of each tenant: the same again is not told again. */
  readonly #troubles = new Map<string, string>();

  /** @param notes on stderr */
  constructor(options: WatchPrintOptions, stdout: Writable, notes: LevelOutput<Note>) {
    const rows = new WatchRows(options);
    this.#stdout = stdout;
    this.#rows = rows;
    this.#changes = new LevelOutput(stdout, (event) => rows.next(event));
    this.#notes = notes;
  }

  start(): void {}

  /** The first look is over: prints all rows there are, and from now on each change. */
  begin(fleet: FleetWatch): void {
    const events = [...(this.#first?.takeAll() ?? [])];
    this.#first = null;
    this.#stdout.write(this.#rows.first(events));
    this.#note('watched', 'MODIFIED', watchedLine([...fleet.tenants()], fleet.running, events));
  }

  /** What nobody has read yet must still end in what is true. */
  stop(): void {
    this.#changes.end();
  }

  row(event: RowEvent): void {
    const { virtualCluster, tenant } = event.row.item;
    const place = `${nameOf(virtualCluster)}/${tenant?.namespace}/${tenant?.name}`;
    if (this.#first === null) this.#changes.tell(place, event);
    else this.#first.add(place, event);
  }

  health({ virtualCluster, state, error, retryIn }: TenantHealth): void {
    const name = nameOf(virtualCluster);
    if (state === 'down') {
      const next = retryIn === 0 ? '' : `; next attempt in ${Math.ceil(retryIn / 1000)}s`;
      const type = this.#down.has(name) ? 'MODIFIED' : 'ADDED';
      this.#down.add(name);
      this.#note(`health of ${name}`, type, `error: ${name}: ${error}${next}`);
    } else if (state === 'up' && this.#down.delete(name)) {
      this.#note(`health of ${name}`, 'DELETED', `${name}: reached again`);
    }
  }

  superHealth(up: boolean, error: string): void {
    if (up === !this.#superDown) return;
    if (!up && error === '') return;
    this.#superDown = !up;
    if (up) this.#note('super cluster', 'DELETED', 'super cluster: reached again');
    else this.#note('super cluster', 'ADDED', `error: super cluster: ${error}`);
  }

  left(virtualCluster: VirtualClusterName): void {
    const name = nameOf(virtualCluster);
    this.#troubles.delete(name);
    this.#notes.forget(`trouble of ${name}`);
    if (this.#down.delete(name)) {
      this.#note(`health of ${name}`, 'DELETED', `${name}: not watched any more`);
    }
  }

  trouble(virtualCluster: VirtualClusterName, message: string): void {
    const name = nameOf(virtualCluster);
    if (this.#troubles.get(name) === message) return;
    this.#troubles.set(name, message);
    this.#note(`trouble of ${name}`, 'MODIFIED', `error: ${name}: ${message}`);
  }

  wrote(): void {}

  reverted(): void {}

  reconciled(): void {}

  #note(key: string, type: Change['type'], text: string): void {
    this.#notes.tell(key, { type, text });
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
