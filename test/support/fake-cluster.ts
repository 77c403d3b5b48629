/** A FAKE API server whose watches deliver late, each at its own pace: orders of events that no real one can be made to give. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HOLD_CONDITION } from '../../src/reconcile/model.ts';
import type { Json } from '../control-plane/api.ts';
import { fakeApiServer, sendJson } from './fake-api-server.ts';
import type { FakeApiServer } from './fake-api-server.ts';

interface Told {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Json;
}

/** One watch: its events in order, each after a pause of its own. */
interface Watch {
  readonly plural: string;
  readonly namespace: string | null;
  readonly response: ServerResponse;
  readonly waiting: Told[];
  delivering: boolean;
}

const PATH =
  /^\/apis?(?:\/[^/]+)?\/v1(?:alpha1)?(?:\/namespaces\/([^/]+))?\/([a-z]+)(?:\/([^/]+?))?(\/status)?$/;

export class FakeCluster {
  readonly #objects = new Map<string, Json>();
  readonly #log: Told[] = [];
  readonly #watches = new Set<Watch>();
  readonly #pace: () => number;
  /** Awaited before each answer to a read of one object. */
  onRead: () => void | Promise<void> = () => {};
  /** Reads of one object are answered with 503. */
  refusesReads = false;
  /** Awaited before a patch is performed. */
  onPatch: () => Promise<void> = () => Promise.resolve();
  #server: FakeApiServer | null = null;
  #version = 1;

  private constructor(pace: () => number) {
    this.#pace = pace;
  }

  /** @param pace milliseconds before each event of each watch */
  static async start(pace: () => number): Promise<FakeCluster> {
    const cluster = new FakeCluster(pace);
    cluster.#server = await fakeApiServer((request, response) => void cluster.#answer(request, response));
    return cluster;
  }

  get server(): FakeApiServer {
    if (this.#server === null) throw new Error('not started');
    return this.#server;
  }

  close(): Promise<void> {
    return this.server.close();
  }

  /** All objects of a kind, as they are now. */
  all(plural: string): Json[] {
    return [...this.#objects].filter(([key]) => key.startsWith(`${plural}/`)).map(([, object]) => object);
  }

  find(plural: string, namespace: string, name: string): Json {
    return this.#objects.get(`${plural}/${namespace}/${name}`) ?? null;
  }

  /** Creates an object, or puts it in the place of the one that is there. */
  put(plural: string, object: Json): Json {
    const { namespace = '', name } = object.metadata;
    const key = `${plural}/${namespace}/${name}`;
    const before = this.#objects.get(key);
    this.#version += 1;
    const stored = {
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(this.#version) },
    };
    this.#objects.set(key, stored);
    this.#tell(plural, { type: before === undefined ? 'ADDED' : 'MODIFIED', object: stored });
    return stored;
  }

  remove(plural: string, namespace: string, name: string): void {
    const key = `${plural}/${namespace}/${name}`;
    const before = this.#objects.get(key);
    if (before === undefined) return;
    this.#objects.delete(key);
    this.#version += 1;
    const object = { ...before, metadata: { ...before.metadata, resourceVersion: String(this.#version) } };
    this.#tell(plural, { type: 'DELETED', object });
  }

  /** Cuts every watch where it is: each is to go on from there. */
  cutWatches(): void {
    for (const { response } of this.#watches) response.destroy();
    this.#watches.clear();
  }

  #tell(plural: string, told: Told): void {
    this.#log.push({ ...told, object: { ...told.object, plural } });
    for (const watch of this.#watches) this.#deliver(watch, plural, told);
  }

  #deliver(watch: Watch, plural: string, told: Told): void {
    if (watch.plural !== plural) return;
    if (watch.namespace !== null && watch.namespace !== told.object.metadata.namespace) return;
    watch.waiting.push(told);
    if (!watch.delivering) this.#next(watch);
  }

  #next(watch: Watch): void {
    const told = watch.waiting.shift();
    watch.delivering = told !== undefined;
    if (told === undefined) return;
    setTimeout(() => {
      if (!watch.response.destroyed) watch.response.write(`${JSON.stringify(told)}\n`);
      this.#next(watch);
    }, this.#pace());
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://fake');
    const [, namespace = null, plural = '', name] = PATH.exec(url.pathname) ?? [];
    const body = await bodyOf(request);
    if (request.method === 'PATCH') {
      await this.onPatch();
      return this.#patch(response, plural, namespace, name ?? '', body);
    }
    if (request.method === 'POST') return sendJson(response, 201, this.put(plural, body));
    if (request.method === 'DELETE') {
      this.remove(plural, namespace ?? '', name ?? '');
      return sendJson(response, 200, {});
    }
    if (name !== undefined) {
      if (this.refusesReads) return sendJson(response, 503, { kind: 'Status', code: 503 });
      await this.onRead();
      const found = this.find(plural, namespace ?? '', name);
      return found === null
        ? sendJson(response, 404, { kind: 'Status', code: 404, reason: 'NotFound' })
        : sendJson(response, 200, found);
    }
    if (url.searchParams.get('watch') === '1') {
      return this.#watch(response, plural, namespace, Number(url.searchParams.get('resourceVersion')));
    }
    const items = this.all(plural).filter(
      ({ metadata }) => namespace === null || metadata.namespace === namespace,
    );
    return sendJson(response, 200, { metadata: { resourceVersion: String(this.#version) }, items });
  }

  #watch(response: ServerResponse, plural: string, namespace: string | null, from: number): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const watch: Watch = { plural, namespace, response, waiting: [], delivering: false };
    this.#watches.add(watch);
    response.once('close', () => this.#watches.delete(watch));
    for (const told of this.#log) {
      const isNewer = Number(told.object.metadata.resourceVersion) > from;
      if (isNewer) this.#deliver(watch, told.object.plural, told);
    }
  }

  /** As much of a strategic merge patch as this program sends. */
  #patch(
    response: ServerResponse,
    plural: string,
    namespace: string | null,
    name: string,
    patch: Json,
  ): void {
    const before = this.find(plural, namespace ?? '', name);
    if (before === null) return sendJson(response, 404, { kind: 'Status', code: 404, reason: 'NotFound' });
    const { uid, resourceVersion } = patch.metadata;
    if (
      (uid !== undefined && uid !== before.metadata.uid) ||
      (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion)
    ) {
      return sendJson(response, 409, { kind: 'Status', code: 409, reason: 'Conflict' });
    }
    if (plural !== 'persistentvolumeclaims') {
      return sendJson(response, 200, this.put(plural, { ...before, ...patch, metadata: before.metadata }));
    }
    const others = (before.status.conditions ?? []).filter((one: Json) => one.type !== HOLD_CONDITION);
    const [condition] = patch.status.conditions;
    const conditions = condition.$patch === 'delete' ? others : [...others, condition];
    const status = { ...before.status, phase: patch.status.phase, conditions };
    return sendJson(response, 200, this.put(plural, { ...before, status }));
  }
}

async function bodyOf(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? null : JSON.parse(text);
}
