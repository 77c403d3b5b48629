/** plugin/deploy in a super cluster of the tests, as an admin applies it. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { loadAll } from 'js-yaml';
import { runProcess } from '../support/run-cli.ts';
import type { Finished } from '../support/run-cli.ts';
import type { Json } from './api.ts';
import { binaries } from './build.ts';
import { writeKubeconfig } from './fleet.ts';
import type { Fleet } from './fleet.ts';

/** The base: it watches. */
export const BASE = fileURLToPath(new URL('../../plugin/deploy', import.meta.url));
/** With the components sync and monitoring. */
export const EXAMPLE = fileURLToPath(new URL('../../plugin/deploy-example', import.meta.url));
/** Where it is deployed. */
export const NAMESPACE = 'vc-pvc';

/** The real kubectl, as admin of the super cluster. @throws AssertionError where it fails */
export async function kubectl(fleet: Fleet, ...args: readonly string[]): Promise<Finished> {
  const { kubectl: program } = await binaries();
  // Without a HOME it keeps its cache in the folder that it is run in.
  const environment = { KUBECONFIG: fleet.kubeconfig, HOME: fleet.storage.directory };
  const finished = await runProcess(program, args, environment);
  assert.equal(finished.code, 0, finished.stderr);
  return finished;
}

/** A kubeconfig with a token of a ServiceAccount, as the kubelet would mount it. @returns its file */
export async function kubeconfigOf(fleet: Fleet, serviceAccount: string): Promise<string> {
  const config = JSON.parse(fleet.super.adminKubeconfig);
  const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${serviceAccount}/token`;
  const { status } = await fleet.super.api.create(path, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {},
  });
  config.users[0].user = { token: status.token };
  return writeKubeconfig(fleet.storage, serviceAccount, JSON.stringify(config));
}

/** The objects that kustomize makes of a folder. */
export async function built(fleet: Fleet, folder: string): Promise<Json[]> {
  const { stdout } = await kubectl(fleet, 'kustomize', folder);
  return loadAll(stdout) as Json[];
}

/** What the program is called with in the pods. */
export async function argsOf(fleet: Fleet, folder: string): Promise<string[]> {
  const deployment = (await built(fleet, folder)).find(({ kind }) => kind === 'Deployment');
  return deployment.spec.template.spec.containers[0].args;
}
