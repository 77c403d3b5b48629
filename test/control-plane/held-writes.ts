/** Keeps writes to claims' statuses under way for as long as a test wants: an admission webhook that does not answer yet. */
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import { json } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import type { Json } from './api.ts';
import type { ControlPlane } from './control-plane.ts';
import { eventually } from './eventually.ts';

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const NAME = 'held-writes.example.com';

export class HeldWrites {
  /** Names of the claims whose writes are under way. */
  readonly held: string[] = [];
  readonly #plane: ControlPlane;
  readonly #server: Server;
  readonly #waiting: (() => void)[] = [];
  #holds = true;
  #asked = 0;

  private constructor(plane: ControlPlane, server: Server) {
    this.#plane = plane;
    this.#server = server;
  }

  /**
   * Begins to hold what users of a group write to the claims of a namespace; dry runs pass.
   * @param claim any claim there
   */
  static async start(
    plane: ControlPlane,
    group: string,
    namespace: string,
    claim: string,
  ): Promise<HeldWrites> {
    const { certificate, key } = await plane.authority.server(['127.0.0.1']);
    const server = createServer({ cert: certificate, key });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const writes = new HeldWrites(plane, server);
    server.on('request', (request, response) => {
      void json(request).then(async (review: Json) => {
        await writes.#admit(review.request, group);
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ ...review, response: { uid: review.request.uid, allowed: true } }));
      });
    });
    await plane.api.create(CONFIGURATIONS, writes.#configuration(namespace));
    const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims/${claim}/status?dryRun=All`;
    await eventually('the webhook to be asked', async () => {
      await plane.api.patch(path, { metadata: { annotations: { probe: 'yes' } } });
      return writes.#asked > 0;
    });
    return writes;
  }

  /** Lets those pass that are held, and all that come. */
  release(): void {
    this.#holds = false;
    for (const release of this.#waiting) release();
  }

  async stop(): Promise<void> {
    this.release();
    await this.#plane.api.delete(`${CONFIGURATIONS}/${NAME}`);
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #admit({ userInfo, dryRun, name }: Json, group: string): Promise<void> | null {
    this.#asked += 1;
    if (!this.#holds || dryRun === true || !userInfo.groups.includes(group)) return null;
    this.held.push(name);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #configuration(namespace: string): object {
    const { port } = this.#server.address() as AddressInfo;
    return {
      metadata: { name: NAME },
      webhooks: [
        {
          name: NAME,
          clientConfig: {
            url: `https://127.0.0.1:${port}`,
            caBundle: Buffer.from(this.#plane.authority.certificate).toString('base64'),
          },
          rules: [
            {
              apiGroups: [''],
              apiVersions: ['v1'],
              operations: ['UPDATE'],
              resources: ['persistentvolumeclaims/status'],
            },
          ],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          timeoutSeconds: 30,
        },
      ],
    };
  }
}
