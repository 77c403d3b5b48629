/** Why there was no answer, in words. */
import { UserError, oneLine } from '../errors.ts';

/** Whether the server closed an idle connection just as it was used again: nothing was answered, a read is repeated. */
export function closedWhileIdle(error: unknown): boolean {
  return CLOSED_WHILE_IDLE.has(codeOf(error));
}

const CLOSED_WHILE_IDLE: ReadonlySet<string> = new Set([
  'UND_ERR_SOCKET',
  'ECONNRESET',
  'EPIPE',
  'ERR_HTTP2_GOAWAY_SESSION',
  'ERR_HTTP2_INVALID_SESSION',
]);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** What ended a request from our side. */
export function abortReason(signal: AbortSignal | null): string {
  const reason: unknown = signal?.reason;
  if (reason instanceof UserError) return reason.message;
  return reason instanceof Error && reason.name === 'TimeoutError'
    ? 'no complete answer within --request-timeout'
    : 'cancelled';
}

/** Node's own words (lib/internal/tls/wrap.js) tell to run Node with a flag, of which there is none here. */
const UNKNOWN_AUTHORITY =
  'its certificate is signed by an authority that neither the kubeconfig (certificate-authority-data) nor this machine knows';

const REASONS: Readonly<Record<string, string>> = {
  // By another authority of the same name, as all that kubeadm makes have.
  CERT_SIGNATURE_FAILURE: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'no such host (the name server did not answer)',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'no answer',
  UND_ERR_CONNECT_TIMEOUT: 'no answer',
  ERR_STREAM_PREMATURE_CLOSE: 'the connection was closed',
  ERR_HTTP2_GOAWAY_SESSION: 'the server closes the connection',
  ERR_HTTP2_INVALID_SESSION: 'the connection was closed',
};

/** What ended it from outside. */
export function networkReason(error: unknown): string {
  const cause = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const known = REASONS[codeOf(cause)];
  if (known !== undefined) return known;
  return oneLine(cause instanceof Error ? cause.message : String(cause)) || codeOf(cause);
}
