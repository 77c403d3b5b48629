import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join, normalize, sep } from 'node:path';
import process from 'node:process';
import { UserError, oneLine } from '../../errors.ts';
import type { ExecConfig } from '../kubeconfig/model.ts';
import type { CredentialSource, Credentials } from '../settings.ts';
import { checkApiVersion, execInfo, parseExecAnswer } from './exec-info.ts';
import type { ExecAnswer, ExecCluster } from './exec-info.ts';

/** A token and a chain of certificates take some kilobytes. Bytes. */
const LARGEST_OUTPUT = 4 * 1024 * 1024;

export interface ExecDependencies {
  /** Names the user in an error, for example `user "admin"`. */
  readonly who: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdinIsTerminal: () => boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** A command that prints credentials, run as client-go plugin/pkg/client/auth/exec/exec.go runs it. */
export class ExecPlugin implements CredentialSource {
  readonly #config: ExecConfig;
  readonly #cluster: ExecCluster;
  readonly #dependencies: ExecDependencies;
  readonly #command: string;
  /** What to call it in an error. */
  readonly #name: string;
  #cached: ExecAnswer | null = null;
  #running: Promise<ExecAnswer> | null = null;

  constructor(config: ExecConfig, cluster: ExecCluster, dependencies: ExecDependencies) {
    this.#config = config;
    this.#cluster = cluster;
    this.#dependencies = dependencies;
    this.#command = normalize(config.command);
    this.#name = `exec plugin "${oneLine(this.#command)}" of ${dependencies.who}`;
  }

  async current(): Promise<Credentials> {
    if (this.#cached !== null && this.#dependencies.now() <= this.#cached.expires)
      return this.#cached.credentials;
    // It may ask the user something: however many requests wait for it, it runs once.
    this.#running ??= this.#run().finally(() => (this.#running = null));
    this.#cached = await this.#running;
    return this.#cached.credentials;
  }

  invalidate(rejected?: Credentials): boolean {
    const outdated = rejected !== undefined && rejected !== this.#cached?.credentials;
    if (!outdated) this.#cached = null;
    return true;
  }

  async #run(): Promise<ExecAnswer> {
    const { apiVersion, args, provideClusterInfo } = this.#config;
    checkApiVersion(apiVersion, this.#name);
    const interactive = this.#interactive();
    const file = await this.#find();
    const info = execInfo(apiVersion, interactive, provideClusterInfo ? this.#cluster : null);
    const child = spawn(file, args, {
      env: { ...this.#env(), KUBERNETES_EXEC_INFO: info },
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
      windowsHide: true,
    });
    return parseExecAnswer(await this.#output(child), apiVersion, this.#name);
  }

  #env(): Record<string, string | undefined> {
    return {
      ...this.#dependencies.env,
      ...Object.fromEntries(this.#config.env.map(({ name, value }) => [name, value])),
    };
  }

  /** Whether the plugin gets our standard input. */
  #interactive(): boolean {
    const { interactiveMode } = this.#config;
    if (interactiveMode === 'Never') return false;
    const terminal = this.#dependencies.stdinIsTerminal();
    if (interactiveMode !== 'Always' || terminal) return terminal;
    throw new UserError(
      `cannot run ${this.#name}: it wants to ask questions (interactiveMode: Always), and standard input is not a terminal`,
    );
  }

  /**
   * The file to run. As in Go it is looked for on our own PATH, not on the one that the plugin's environment may
   * have, and never in the working directory.
   */
  async #find(): Promise<string> {
    if (this.#command.includes(sep) || process.platform === 'win32') return this.#command;
    for (const directory of (this.#dependencies.env['PATH'] ?? '').split(delimiter)) {
      const file = join(directory, this.#command);
      if (isAbsolute(directory) && (await isExecutable(file))) return file;
    }
    throw this.#missing();
  }

  #output(child: ReturnType<typeof spawn>): Promise<string> {
    // One that does not answer must not outlive whoever asked it.
    const end = (): void => void child.kill();
    process.once('exit', end);
    return new Promise<string>((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      child.stdout?.on('data', (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size <= LARGEST_OUTPUT) return;
        child.kill();
        reject(new UserError(`cannot use ${this.#name}: it printed more than 4 MiB`));
      });
      child.once('error', (error: NodeJS.ErrnoException) => {
        const absent = error.code === 'ENOENT';
        reject(
          absent
            ? this.#missing()
            : new UserError(`cannot run ${this.#name}: ${oneLine(error.code ?? error.message)}`),
        );
      });
      child.once('close', (code, signal) => {
        if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
        else
          reject(
            new UserError(
              `${this.#name} failed: ${signal === null ? `exit code ${code}` : `ended by ${signal}`}`,
            ),
          );
      });
    }).finally(() => process.off('exit', end));
  }

  #missing(): UserError {
    const hint = oneLine(this.#config.installHint).slice(0, 1000);
    return new UserError(
      `cannot run ${this.#name}: there is no such command${hint === '' ? '; install it' : `: ${hint}`}`,
    );
  }
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
