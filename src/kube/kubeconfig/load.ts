import { readFile, stat } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { UserError, oneLine } from '../../errors.ts';
import type { Cluster, Kubeconfig, User } from './model.ts';
import { parseKubeconfigText } from './parse.ts';

/** Thousands of contexts with embedded certificates fit; a device or a log file does not. Bytes. */
const LARGEST_FILE = 64 * 1024 * 1024;

export interface KubeconfigLocation {
  /** --kubeconfig; '' and undefined mean that the environment decides. */
  readonly explicitPath?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDirectory: string;
}

export interface LoadedKubeconfig extends Kubeconfig {
  /** The files that were read, as they were named, in the order of precedence. */
  readonly files: readonly string[];
  /** The files that were looked for and do not exist. */
  readonly missing: readonly string[];
}

/**
 * The user's kubeconfig files, merged as client-go tools/clientcmd/loader.go merges them: an explicit file stands
 * alone; else of the files of KUBECONFIG (or ~/.kube/config) the first that has an entry of a name gives the whole
 * entry, and the first that names a current context gives that. Relative paths are resolved beside their own file.
 * @throws UserError where the explicit file does not exist, or any file cannot be read or understood.
 */
export async function loadKubeconfig(location: KubeconfigLocation): Promise<LoadedKubeconfig> {
  const { explicitPath = '' } = location;
  const read: { path: string; config: Kubeconfig }[] = [];
  const missing: string[] = [];
  for (const path of explicitPath === '' ? listedFiles(location) : [explicitPath]) {
    const text = await readText(path);
    if (text === null) missing.push(path);
    else read.push({ path, config: besideFile(parseKubeconfigText(text, describe(path)), path) });
  }
  if (explicitPath !== '' && missing.length > 0) {
    throw new UserError(`cannot read ${describe(explicitPath)}: there is no such file; check --kubeconfig`);
  }
  return { ...merge(read.map(({ config }) => config)), files: read.map(({ path }) => path), missing };
}

/** client-go tools/clientcmd/loader.go NewDefaultClientConfigLoadingRules. */
function listedFiles({ env, homeDirectory }: KubeconfigLocation): string[] {
  const list = env['KUBECONFIG'] ?? '';
  if (list === '') return [join(homeDirectory, '.kube', 'config')];
  return [...new Set(list.split(delimiter))].filter((path) => path !== '');
}

/** The file's text, null where it does not exist. */
async function readText(path: string): Promise<string | null> {
  try {
    const { size } = await stat(path);
    if (size > LARGEST_FILE) throw new UserError(`cannot read ${describe(path)}: it is larger than 64 MiB`);
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (codeOf(error) === 'ENOENT') return null;
    throw new UserError(`cannot read ${describe(path)}: ${reason(error)}`);
  }
}

function describe(path: string): string {
  return `kubeconfig "${oneLine(path)}"`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function reason(error: unknown): string {
  switch (codeOf(error)) {
    case 'EACCES':
      return 'permission denied';
    case 'EISDIR':
      return 'it is a directory';
    case 'ERR_ENCODING_INVALID_ENCODED_DATA':
      return 'it is not UTF-8 text';
    default:
      return codeOf(error) || oneLine(String(error));
  }
}

function merge(configs: readonly Kubeconfig[]): Kubeconfig {
  // A later entry of a Map replaces an earlier one, so the files go in from the last to the first.
  const reversed = configs.toReversed();
  return {
    clusters: new Map(reversed.flatMap(({ clusters }) => [...clusters])),
    users: new Map(reversed.flatMap(({ users }) => [...users])),
    contexts: new Map(reversed.flatMap(({ contexts }) => [...contexts])),
    currentContext: configs.find(({ currentContext }) => currentContext !== '')?.currentContext ?? '',
  };
}

function besideFile(config: Kubeconfig, path: string): Kubeconfig {
  const directory = resolve(dirname(path));
  const beside = (reference: string): string =>
    reference === '' || isAbsolute(reference) ? reference : join(directory, reference);
  return {
    ...config,
    clusters: mapValues(config.clusters, (cluster: Cluster) => ({
      ...cluster,
      certificateAuthority: beside(cluster.certificateAuthority),
    })),
    users: mapValues(config.users, (user: User) => ({
      ...user,
      clientCertificate: beside(user.clientCertificate),
      clientKey: beside(user.clientKey),
      tokenFile: beside(user.tokenFile),
      exec: user.exec === null ? null : { ...user.exec, command: commandBeside(user.exec.command, beside) },
    })),
  };
}

/** client-go loader.go GetAuthInfoFileReferences: a command without a separator is looked for on PATH. */
function commandBeside(command: string, beside: (reference: string) => string): string {
  return command.includes(sep) ? beside(command) : command;
}

function mapValues<T>(map: ReadonlyMap<string, T>, change: (value: T) => T): Map<string, T> {
  return new Map([...map].map(([name, value]) => [name, change(value)]));
}
