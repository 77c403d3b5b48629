/** When the phases of tenant claims change, as a watch of our own on each tenant API server tells. */
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { writeKubeconfig } from '../control-plane/fleet.ts';
import type { Fleet, Tenant } from '../control-plane/fleet.ts';
import { ApiConnection } from '../../src/kube/connection.ts';
import { connectionFromFlags } from '../../src/kube/kubeconfig/resolve.ts';
import { Reflector } from '../../src/kube/reflector.ts';
import { CLAIMS } from '../../src/kube/resources.ts';
import type { Claim } from '../../src/reconcile/model.ts';

export class StatusTimes {
  readonly #waiting = new Map<string, (time: number) => void>();
  readonly #stopped = new AbortController();
  readonly #connections: ApiConnection[] = [];
  readonly #running: Promise<void>[] = [];

  static async start(fleet: Fleet): Promise<StatusTimes> {
    const times = new StatusTimes();
    const planes = [...new Set(fleet.tenants.map(({ plane }) => plane))];
    await Promise.all(planes.map((plane, index) => times.#watch(fleet, plane, `times-${index}`)));
    return times;
  }

  /** performance.now() of the next time that a claim is seen with a phase. */
  next({ plane }: Tenant, namespace: string, name: string, phase: string): Promise<number> {
    return new Promise((resolve) => {
      this.#waiting.set(`${plane.name} ${namespace}/${name} ${phase}`, resolve);
    });
  }

  async stop(): Promise<void> {
    this.#stopped.abort(new Error('stopped'));
    await Promise.all(this.#running);
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  async #watch(fleet: Fleet, plane: ControlPlane, file: string): Promise<void> {
    const kubeconfig = await writeKubeconfig(fleet.storage, file, plane.adminKubeconfig);
    const connection = new ApiConnection((await connectionFromFlags({ kubeconfig })).settings);
    this.#connections.push(connection);
    const { signal } = this.#stopped;
    await new Promise<void>((listed) => {
      const sink = {
        replace: () => listed(),
        put: (claim: Claim) => this.#seen(plane, claim),
        remove: () => {},
      };
      const reflector = new Reflector(connection, CLAIMS, sink, {
        namespace: null,
        signal,
        onState: () => {},
      });
      this.#running.push(reflector.run());
    });
  }

  #seen(plane: ControlPlane, { namespace, name, phase }: Claim): void {
    const key = `${plane.name} ${namespace}/${name} ${phase}`;
    this.#waiting.get(key)?.(performance.now());
    this.#waiting.delete(key);
  }
}
