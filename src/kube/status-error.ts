import { UserError, oneLine } from '../errors.ts';
import { FieldReader, ProtobufError } from './protobuf/wire.ts';

/** An answer of an API server that is not a success: HTTP code and the `metav1.Status` it carried, if any. */
export class StatusError extends UserError {
  readonly code: number;
  /** metav1.Status.reason, for example "NotFound", "Forbidden", "Expired"; "" where the body was no Status. */
  readonly reason: string;
  /** metav1.Status.message, control characters removed. */
  readonly statusMessage: string;
  /** Seconds after which the server asks to be asked again; null where it does not say. */
  readonly retryAfter: number | null;

  /**
   * @param what what was tried and on which cluster, for example `list persistentvolumeclaims of context "prod"`
   */
  constructor(
    what: string,
    code: number,
    reason: string,
    statusMessage: string,
    retryAfter: number | null = null,
  ) {
    const message = oneLine(statusMessage).slice(0, 500);
    const redirect = code >= 300 && code < 400 ? ', a redirect, which is not followed' : '';
    super(`${what}: ${message === '' ? `HTTP ${code}${redirect}` : message}`);
    this.code = code;
    this.reason = reason;
    this.statusMessage = message;
    this.retryAfter = retryAfter;
  }
}

/**
 * The error for an answer that is not a success.
 * @param body its first bytes: a metav1.Status as JSON or protobuf, or anything a proxy may send
 * @param retryAfter seconds, null where the server does not say
 */
export function statusErrorOf(
  what: string,
  code: number,
  contentType: string,
  body: Buffer,
  retryAfter: number | null,
): StatusError {
  const status = contentType.includes('protobuf') ? statusInProtobuf(body) : jsonStatus(body);
  return new StatusError(what, code, status.reason, status.message, retryAfter);
}

interface Status {
  readonly reason: string;
  readonly message: string;
}

function jsonStatus(body: Buffer): Status {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value !== 'object' || value === null) return NO_STATUS;
    const { reason, message } = value as Record<string, unknown>;
    return {
      reason: typeof reason === 'string' ? reason : '',
      message: typeof message === 'string' ? message : '',
    };
  } catch {
    return NO_STATUS;
  }
}

const NO_STATUS: Status = { reason: '', message: '' };

/**
 * A metav1.Status in the envelope that protobuf/list-stream.ts describes; what cannot be read of it is "" or 0.
 * k8s.io/apimachinery pkg/apis/meta/v1/generated.proto.
 */
export function statusInProtobuf(body: Buffer): Status & { readonly code: number } {
  let reason = '';
  let message = '';
  let code = 0;
  try {
    const envelope = new FieldReader().open(body, 4, body.length);
    while (envelope.next()) {
      if (envelope.field !== 2) continue;
      const status = new FieldReader().open(body, envelope.start, envelope.finish);
      while (status.next()) {
        if (status.field === 3) message = status.startOfText();
        else if (status.field === 4) reason = status.text();
        else if (status.field === 6) code = status.value;
      }
    }
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
  }
  return { reason, message, code };
}
