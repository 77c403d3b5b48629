/** The bodies of answers. */
import type { Readable } from 'node:stream';
import { UserError } from '../errors.ts';

/** One object: etcd holds none above 1.5 MiB; JSON may take several times that. Bytes. */
const LARGEST_OBJECT = 32 * 1024 * 1024;
/** A metav1.Status is small; of anything larger the beginning is enough. Bytes. */
const LARGEST_ERROR = 64 * 1024;

/** What was answered, before anything is made of it. */
export interface RawAnswer {
  readonly statusCode: number;
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
}

export interface StreamedAnswer {
  /** Without parameters. */
  readonly contentType: string;
  /** The decompressed body; iterating it throws UserError where the connection breaks. */
  readonly body: AsyncIterable<Buffer>;
}

/**
 * A body as JSON.
 * @param fail makes an error of a reason
 * @throws what `fail` makes of a body that is too large or no JSON
 */
export async function parsedJson(
  answer: StreamedAnswer,
  fail: (reason: string) => UserError,
): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    size += chunk.length;
    if (size > LARGEST_OBJECT) throw fail('the answer is larger than any object can be');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw fail('the answer is not JSON');
  }
}

/** The chunks of a body; whatever breaks it is told as a UserError. */
export async function* guarded(
  body: AsyncIterable<Buffer>,
  fail: (error: unknown) => UserError,
): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw error instanceof UserError ? error : fail(error);
  }
}

/** The chunks of a body; `onHeard` is called as each arrives. */
export async function* heard(
  body: AsyncIterable<Buffer>,
  onHeard: (() => void) | undefined,
): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    onHeard?.();
    yield chunk;
  }
}

/** The beginning of a body that tells of an error; what there is of one that breaks off. */
export async function readStart(answer: RawAnswer): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > LARGEST_ERROR) break;
    }
  } catch {
    // The status line says enough; a body that breaks off adds nothing.
  }
  return Buffer.concat(chunks);
}

/** Whether a server is on this machine: there compression costs more than it saves. */
export function isLoopback(server: string): boolean {
  return /^https?:\/\/(127\.|\[::1\]|localhost[:/]?)/.test(server);
}
