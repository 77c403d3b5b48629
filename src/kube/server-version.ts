/** What an API server says that it is. */
import { UserError, oneLine } from '../errors.ts';
import type { ApiReader } from './api.ts';

/** The fields of k8s.io/apimachinery pkg/version/types.go that every API server sends. */
const FIELDS = ['major', 'minor', 'gitVersion', 'gitCommit', 'buildDate', 'goVersion', 'platform'] as const;
/** The longest are a commit's hash and a version with build metadata; what is longer is none. */
const LONGEST = 100;

/** "" where the server does not tell a field. */
export type ServerVersion = Readonly<Record<(typeof FIELDS)[number], string>>;

/** GET /version, which any authenticated user may. @throws UserError where there is no such answer */
export async function serverVersion(api: ApiReader, signal: AbortSignal): Promise<ServerVersion> {
  const answer = await api.getJson('/version', { signal });
  const fields: Record<string, unknown> = typeof answer === 'object' && answer !== null ? { ...answer } : {};
  const version = Object.fromEntries(
    FIELDS.map((name) => {
      const value = fields[name];
      return [name, typeof value === 'string' ? oneLine(value).slice(0, LONGEST) : ''];
    }),
  ) as ServerVersion;
  if (version.gitVersion !== '') return version;
  throw new UserError(
    `${api.settings.description} (${api.settings.server}) does not tell its version: this is no Kubernetes API server`,
  );
}
