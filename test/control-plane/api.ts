/** A small JSON client for tests: what the API server holds, and what is written to it. */
import { Pool } from 'undici';
import type { KeyPair } from './certificates.ts';

/** An object as JSON gives it; tests reach into it freely. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

/** Content types of PATCH (k8s.io/apimachinery pkg/types/patch.go). */
export type PatchType =
  | 'application/json-patch+json'
  | 'application/merge-patch+json'
  | 'application/strategic-merge-patch+json';

/** An answer that is not a success. */
export class ApiFailure extends Error {
  readonly code: number;

  constructor(method: string, path: string, code: number, body: string) {
    super(`${method} ${path}: ${code} ${body.slice(0, 400)}`);
    this.code = code;
  }
}

export class Api {
  readonly #pool: Pool;

  constructor(server: string, ca: string, client: KeyPair) {
    this.#pool = new Pool(server, {
      connections: 16,
      allowH2: false,
      connect: { ca, cert: client.certificate, key: client.key },
    });
  }

  get(path: string): Promise<Json> {
    return this.#call('GET', path);
  }

  /** null where there is no such object. */
  async find(path: string): Promise<Json> {
    try {
      return await this.get(path);
    } catch (error) {
      if (error instanceof ApiFailure && error.code === 404) return null;
      throw error;
    }
  }

  /** What is served there, as it is: metrics, for example. */
  async text(path: string): Promise<string> {
    const answer = await this.#pool.request({ method: 'GET', path });
    return answer.body.text();
  }

  create(path: string, object: object): Promise<Json> {
    return this.#call('POST', path, object);
  }

  /** The object must carry the resourceVersion it was read with, where a conflict shall be noticed. */
  replace(path: string, object: object): Promise<Json> {
    return this.#call('PUT', path, object);
  }

  /** A merge patch, or what `type` says: a strategic merge patch keeps the other entries of a list. */
  patch(path: string, patch: object, type: PatchType = 'application/merge-patch+json'): Promise<Json> {
    return this.#call('PATCH', path, patch, type);
  }

  /** @param options metav1.DeleteOptions */
  delete(path: string, options?: object): Promise<Json> {
    return this.#call('DELETE', path, options);
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  async #call(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
    type = 'application/json',
  ): Promise<Json> {
    const answer = await this.#pool.request({
      method,
      path,
      headers: { 'content-type': type },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new ApiFailure(method, path, answer.statusCode, text);
    return JSON.parse(text);
  }
}
