/** What a real API server was asked to write, by whom and when: its own audit log (k8s.io/apiserver pkg/apis/audit/v1). */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from './api.ts';
import { temporaryDirectory } from './processes.ts';
import type { TemporaryDirectory } from './processes.ts';

/** Users of this group are written down, others are not. */
export const AUDITED = 'audited';

export interface AuditedWrite {
  readonly user: string;
  readonly verb: string;
  /** With the subresource, if there is one: `persistentvolumeclaims/status`. */
  readonly resource: string;
  /** "" where the kind has none. */
  readonly namespace: string;
  readonly name: string;
  /** HTTP status. */
  readonly code: number;
  /** status.phase as it was sent; "" where none was. */
  readonly phase: string;
  /** When the request came and when it was answered: milliseconds since the epoch. */
  readonly received: number;
  readonly answered: number;
}

/** Whole requests, dry runs left out; a request is written down before it is answered. */
const POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'Request', userGroups: [AUDITED], verbs: ['create', 'update', 'patch', 'delete'] },
    { level: 'None' },
  ],
};

export class Audit {
  /** Flags of kube-apiserver. */
  readonly args: readonly string[];
  readonly #directory: TemporaryDirectory;
  readonly #log: string;

  private constructor(directory: TemporaryDirectory, policy: string, log: string) {
    this.#directory = directory;
    this.#log = log;
    this.args = [
      `--audit-policy-file=${policy}`,
      `--audit-log-path=${log}`,
      '--audit-log-mode=blocking',
      '--audit-log-maxsize=1000',
    ];
  }

  static async create(): Promise<Audit> {
    const directory = await temporaryDirectory();
    const policy = join(directory.path, 'policy.json');
    await writeFile(policy, JSON.stringify(POLICY));
    return new Audit(directory, policy, join(directory.path, 'log'));
  }

  /** All so far, in the order in which they were answered. */
  async writes(): Promise<AuditedWrite[]> {
    const lines = (await readFile(this.#log, 'utf8')).split('\n').slice(0, -1);
    return lines
      .map((line): Json => JSON.parse(line))
      .filter(({ requestURI, requestObject }) => !isDryRun(requestURI, requestObject))
      .map(writeOf);
  }

  remove(): Promise<void> {
    return this.#directory.remove();
  }
}

function isDryRun(uri: string, object: Json): boolean {
  return uri.includes('dryRun=All') || object?.dryRun !== undefined;
}

function writeOf(event: Json): AuditedWrite {
  const { resource, subresource, namespace = '', name = '' } = event.objectRef;
  return {
    user: event.user.username,
    verb: event.verb,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    namespace,
    name,
    code: event.responseStatus?.code ?? 0,
    phase: event.requestObject?.status?.phase ?? '',
    received: Date.parse(event.requestReceivedTimestamp),
    answered: Date.parse(event.stageTimestamp),
  };
}
