/** Real kube-apiserver and kube-controller-manager processes. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Api } from './api.ts';
import { AUDIT_POLICY } from './audit.ts';
import { binaries } from './build.ts';
import { createAuthority } from './certificates.ts';
import type { Authority } from './certificates.ts';
import { eventually } from './eventually.ts';
import { freePort, startDaemon, untilReady } from './processes.ts';
import type { Daemon } from './processes.ts';
import type { Storage } from './storage.ts';

export interface ControlPlaneOptions {
  readonly name: string;
  readonly storage: Storage;
  /** Default true. */
  readonly controllerManager?: boolean;
  /** DNS names the serving certificate is valid for, besides 127.0.0.1 and localhost. */
  readonly serverNames?: readonly string[];
  /** kube-apiserver --runtime-config, for tenants without some API. */
  readonly runtimeConfig?: string;
  /** Further flags of kube-apiserver. */
  readonly apiserverArgs?: readonly string[];
  /** It keeps a record of every single claim that is read or written: audit.ts. Default false. */
  readonly audited?: boolean;
}

export class ControlPlane {
  readonly name: string;
  readonly port: number;
  readonly authority: Authority;
  readonly api: Api;
  readonly adminKubeconfig: string;
  /** The file of the audit log, where there is one. It goes on when the API server is started again. */
  readonly auditLog: string;
  readonly #apiserverArgs: readonly string[];
  readonly #controllerManagerArgs: readonly string[] | null;
  readonly #directory: string;
  readonly #readiness: string;
  #apiserver: Daemon | null = null;
  #controllerManager: Daemon | null = null;

  private constructor(parts: {
    name: string;
    port: number;
    authority: Authority;
    api: Api;
    adminKubeconfig: string;
    auditLog: string;
    apiserverArgs: readonly string[];
    controllerManagerArgs: readonly string[] | null;
    directory: string;
    readiness: string;
  }) {
    this.name = parts.name;
    this.port = parts.port;
    this.authority = parts.authority;
    this.api = parts.api;
    this.adminKubeconfig = parts.adminKubeconfig;
    this.auditLog = parts.auditLog;
    this.#apiserverArgs = parts.apiserverArgs;
    this.#controllerManagerArgs = parts.controllerManagerArgs;
    this.#directory = parts.directory;
    this.#readiness = parts.readiness;
  }

  /**
   * Starts a control plane and waits until it is ready.
   * @throws Error with the API server's last log lines where it does not become ready; nothing of it runs then
   */
  static async start(options: ControlPlaneOptions): Promise<ControlPlane> {
    const { name, storage } = options;
    const directory = await mkdtemp(join(storage.directory, `${name}-`));
    const file = (base: string): string => join(directory, base);
    const port = await freePort();
    const server = `https://127.0.0.1:${port}`;
    const authority = await createAuthority();
    const serving = await authority.server(['127.0.0.1', 'localhost', ...(options.serverNames ?? [])]);
    const admin = await authority.client('admin', ['system:masters']);
    const serviceAccounts = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const adminKubeconfig = kubeconfig(name, server, authority.certificate, admin);
    await Promise.all([
      writeFile(file('ca.crt'), authority.certificate),
      writeFile(file('server.crt'), serving.certificate),
      writeFile(file('server.key'), serving.key),
      writeFile(file('sa.key'), serviceAccounts.privateKey.export({ type: 'sec1', format: 'pem' })),
      writeFile(file('sa.pub'), serviceAccounts.publicKey.export({ type: 'spki', format: 'pem' })),
      writeFile(file('admin.kubeconfig'), adminKubeconfig),
      writeFile(file('audit-policy.json'), JSON.stringify(AUDIT_POLICY)),
    ]);
    const plane = new ControlPlane({
      name,
      port,
      authority,
      api: new Api(server, authority.certificate, admin),
      adminKubeconfig,
      auditLog: file('audit.log'),
      directory,
      readiness: lacksAdmissionRegistration(options.runtimeConfig)
        ? '/readyz?exclude=informer-sync'
        : '/readyz',
      apiserverArgs: [
        `--etcd-servers=${storage.url}`,
        `--etcd-prefix=/${name}`,
        `--secure-port=${port}`,
        '--bind-address=127.0.0.1',
        '--service-cluster-ip-range=10.0.0.0/24',
        '--authorization-mode=RBAC',
        `--client-ca-file=${file('ca.crt')}`,
        `--tls-cert-file=${file('server.crt')}`,
        `--tls-private-key-file=${file('server.key')}`,
        '--service-account-issuer=https://kubernetes.default.svc',
        `--service-account-key-file=${file('sa.pub')}`,
        `--service-account-signing-key-file=${file('sa.key')}`,
        ...(options.runtimeConfig === undefined ? [] : [`--runtime-config=${options.runtimeConfig}`]),
        ...(lacksAdmissionRegistration(options.runtimeConfig)
          ? [`--disable-admission-plugins=${ADMISSION_REGISTRATION_PLUGINS.join(',')}`]
          : []),
        ...(options.audited === true
          ? [`--audit-policy-file=${file('audit-policy.json')}`, `--audit-log-path=${file('audit.log')}`]
          : []),
        ...(options.apiserverArgs ?? []),
      ],
      controllerManagerArgs:
        options.controllerManager === false
          ? null
          : [
              `--kubeconfig=${file('admin.kubeconfig')}`,
              `--controllers=${CONTROLLERS.join(',')}`,
              '--leader-elect=false',
              '--secure-port=0',
              '--use-service-account-credentials=false',
              `--service-account-private-key-file=${file('sa.key')}`,
              // The default of 20 requests a second starves tests with many claims.
              '--kube-api-qps=1000',
              '--kube-api-burst=2000',
              '--pvclaimbinder-sync-period=1s',
            ],
    });
    try {
      await plane.startApiserver();
      await plane.startControllerManager();
    } catch (error) {
      await plane.stop();
      throw error;
    }
    return plane;
  }

  /** Starts the API server (again: same port, same data) and waits until it is ready. */
  async startApiserver(): Promise<void> {
    const { kubeApiserver } = await binaries();
    const daemon = startDaemon(kubeApiserver, this.#apiserverArgs, join(this.#directory, 'apiserver.log'));
    this.#apiserver = daemon;
    // The answer is "ok", not JSON.
    await untilReady(daemon, `the API server of ${this.name} to be ready`, () =>
      this.api.get(this.#readiness).then(
        () => true,
        (error: unknown) => error instanceof SyntaxError,
      ),
    );
    await eventually(`namespace default of ${this.name}`, () => this.api.find('/api/v1/namespaces/default'));
  }

  async stopApiserver(): Promise<void> {
    await this.#apiserver?.stop('SIGKILL');
  }

  /** Starts the controller manager (again), unless the control plane was made without one. */
  async startControllerManager(): Promise<void> {
    if (this.#controllerManagerArgs === null) return;
    const { kubeControllerManager } = await binaries();
    const log = join(this.#directory, 'controller-manager.log');
    this.#controllerManager = startDaemon(kubeControllerManager, this.#controllerManagerArgs, log);
  }

  async stopControllerManager(): Promise<void> {
    await this.#controllerManager?.stop('SIGKILL');
  }

  /** A kubeconfig for a user with a client certificate. */
  async kubeconfigFor(
    user: string,
    groups: readonly string[] = [],
    server = `https://127.0.0.1:${this.port}`,
  ): Promise<string> {
    return kubeconfig(
      this.name,
      server,
      this.authority.certificate,
      await this.authority.client(user, groups),
    );
  }

  async stop(): Promise<void> {
    await Promise.all([this.api.close(), this.stopControllerManager(), this.stopApiserver()]);
  }
}

const CONTROLLERS = [
  'persistentvolume-binder-controller',
  'persistentvolumeclaim-protection-controller',
  'persistentvolume-protection-controller',
  'namespace-controller',
  'garbage-collector-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
];

/**
 * A tenant as old as to have no admission policies. Two things of a newer API server wait for that API for ever: the
 * plugins that read it, which refuse every write until then (k8s.io/apiserver
 * pkg/admission/plugin/policy/generic/plugin.go, pkg/admission/plugin/webhook/generic/webhook.go), and the readiness
 * check informer-sync.
 */
function lacksAdmissionRegistration(runtimeConfig = ''): boolean {
  return runtimeConfig.split(',').includes('admissionregistration.k8s.io/v1=false');
}

const ADMISSION_REGISTRATION_PLUGINS = [
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
];

/** A kubeconfig with inline data, as upstream's controller writes it. */
export function kubeconfig(
  name: string,
  server: string,
  ca: string,
  client: { certificate: string; key: string },
): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(ca) } }],
    users: [
      {
        name,
        user: {
          'client-certificate-data': base64(client.certificate),
          'client-key-data': base64(client.key),
        },
      },
    ],
  });
}
