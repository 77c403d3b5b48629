/** `version`: what runs here, in the super cluster and in the tenants. As little as possible is imported up here. */
import { clientVersion } from '../version.ts';
import type { ClientVersion } from '../version.ts';
import type { ConnectionFlags } from '../kube/kubeconfig/connection-flags.ts';
import type { Surroundings } from './check.ts';
import type { ServerVersions } from './server-versions.ts';
import type { FleetSource } from './source.ts';

export interface VersionFlags {
  readonly clientOnly: boolean;
  readonly output: 'text' | 'json' | 'yaml';
  /** Milliseconds, 0 for none. */
  readonly tenantTimeout: number;
  readonly concurrency: number;
}

/** What is printed: with the servers only where they were asked and answered. */
interface Versions extends Omit<ServerVersions, 'errors'> {
  readonly clientVersion: ClientVersion;
}

/** @returns the exit code: 0 all asked have answered, 2 some have not; what is known is printed all the same */
export async function version(
  flags: VersionFlags,
  connection: ConnectionFlags,
  source: FleetSource,
  { stdout, stderr, signal }: Surroundings,
): Promise<number> {
  const { errors, ...servers } = flags.clientOnly
    ? NO_SERVERS
    : await (await import('./server-versions.ts')).serverVersions(connection, source, { ...flags, signal });
  stdout.write(await printed({ clientVersion: clientVersion(), ...servers }, flags.output));
  for (const line of errors) stderr.write(`error: ${line}\n`);
  return errors.length > 0 ? 2 : 0;
}

const NO_SERVERS: ServerVersions = { errors: [] };

async function printed(versions: Versions, output: VersionFlags['output']): Promise<string> {
  if (output === 'text') return `${textLines(versions).join('\n')}\n`;
  const { toJson, toYaml } = await import('../output/structured.ts');
  return output === 'json' ? toJson(versions) : toYaml(versions);
}

/** The words of kubectl, so that a script that reads `kubectl version` reads this as well. */
function textLines({ clientVersion, serverVersion, virtualClusters }: Versions): string[] {
  return [
    `Client Version: ${clientVersion.gitVersion}`,
    `Git Commit: ${clientVersion.gitCommit}`,
    `Node Version: ${clientVersion.nodeVersion}`,
    ...(serverVersion === undefined ? [] : [`Server Version: ${serverVersion.gitVersion}`]),
    ...(virtualClusters === undefined ? [] : tenantLines(virtualClusters)),
  ];
}

function tenantLines(tenants: NonNullable<ServerVersions['virtualClusters']>): string[] {
  const phases = Map.groupBy(tenants, ({ phase }) => phase || '<none>');
  const counts = [...phases].map(([phase, { length }]) => `${length} ${phase}`).join(', ');
  return [
    `VirtualClusters: ${tenants.length}${counts === '' ? '' : ` (${counts})`}`,
    ...tenants.flatMap(({ namespace, name, serverVersion }) =>
      serverVersion === null ? [] : [`Server Version of ${namespace}/${name}: ${serverVersion.gitVersion}`],
    ),
  ];
}
