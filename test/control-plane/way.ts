/** What stands between the program and an API server: a network, then a gateway, each a fake with faults of its own. */
import type { ControlPlane } from './control-plane.ts';
import { FakeGateway, FakeNetwork } from './proxy.ts';
import type { Refusal } from './proxy.ts';

export class Way {
  readonly network: FakeNetwork;
  readonly gateway: FakeGateway;

  private constructor(network: FakeNetwork, gateway: FakeGateway) {
    this.network = network;
    this.gateway = gateway;
  }

  static async start(plane: ControlPlane): Promise<Way> {
    const gateway = await FakeGateway.start(plane);
    return new Way(await FakeNetwork.start(gateway.port), gateway);
  }

  /** Where it begins. */
  get server(): string {
    return `https://127.0.0.1:${this.network.port}`;
  }

  /** Requests are refused from now on, and what is open is cut so that there are some. */
  refuse(refusal: Refusal, of: (path: string) => boolean = () => true): void {
    this.gateway.refuse = (path) => (of(path) ? refusal : null);
    this.network.cut();
  }

  /** All faults are over. */
  heal(): void {
    this.network.fault = 'pass';
    this.gateway.refuse = null;
  }

  async stop(): Promise<void> {
    await this.network.stop();
    await this.gateway.stop();
  }
}
