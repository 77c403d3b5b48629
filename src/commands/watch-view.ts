/** What --ui shows in place of rows: one live screen. */
import { oneLine } from '../errors.ts';
import { LiveScreen } from '../output/live-screen.ts';
import { nameOf } from '../output/summary.ts';
import { renderScreen } from '../output/watch-screen.ts';
import type { FleetWatch } from '../watch/fleet-watch.ts';
import type { Surroundings } from './check.ts';

export interface WatchViewOptions {
  readonly fleet: FleetWatch;
  /** What the super cluster is called. */
  readonly superCluster: string;
  readonly sync: boolean;
  readonly wide: boolean;
  readonly color: boolean;
}

/** Between two drawings. Milliseconds. */
const REDRAW = 250;

export class WatchView {
  readonly #screen: LiveScreen;
  readonly #surroundings: Surroundings;
  readonly #fleet: FleetWatch;
  #starting = true;

  constructor({ fleet, superCluster, sync, wide, color }: WatchViewOptions, surroundings: Surroundings) {
    this.#surroundings = surroundings;
    this.#fleet = fleet;
    const { stdout, now } = surroundings;
    this.#screen = new LiveScreen(stdout, (width, height) =>
      renderScreen(
        {
          superCluster,
          superUp: fleet.superIsUp,
          starting: this.#starting,
          tenants: Array.from(fleet.tenants(), ({ state, health }) => {
            const heard = fleet.lastHeardOf(state.virtualCluster);
            return {
              health,
              claims: state.claims.size,
              rows: [...state.book.rows.values()],
              silent: heard === 0 ? null : Math.max(0, now() - heard),
            };
          }),
          sync,
          wide,
        },
        { width, height, color, now: now() },
      ),
    );
  }

  start(): void {
    this.#screen.start(REDRAW);
  }

  /** The first look is over. */
  begin(): void {
    this.#starting = false;
  }

  /** The screen before comes back, with one line of what was seen last. */
  stop(): void {
    this.#screen.stop();
    for (const { health } of this.#fleet.tenants()) {
      if (health.state !== 'down') continue;
      this.#surroundings.stderr.write(
        `${oneLine(`error: ${nameOf(health.virtualCluster)}: ${health.error}`)}\n`,
      );
    }
  }
}
