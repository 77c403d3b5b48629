/** `version` where no API server answers; with servers: test/cluster/version-and-completion.test.ts. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { runCli } from '../../support/run-cli.ts';

interface Versions {
  readonly clientVersion: Readonly<Record<string, string>>;
  readonly serverVersion?: unknown;
}

async function packageVersion(): Promise<string> {
  const text = await readFile(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

test('version --client prints the version of this tree and of Node, and asks nobody', async () => {
  const { code, stdout, stderr } = await runCli(['version', '--client'], { KUBECONFIG: '/nonexistent' });
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(
    stdout,
    `Client Version: v${await packageVersion()}\nGit Commit: unknown (source tree)\nNode Version: ${process.version}\n`,
  );
});

test('version --client as JSON and YAML has the fields of kubectl version', async () => {
  const json = JSON.parse((await runCli(['version', '--client', '-o', 'json'])).stdout) as Versions;
  const yaml = load((await runCli(['version', '--client', '-oyaml'])).stdout) as Versions;
  assert.deepEqual(yaml, json);
  assert.equal(json.clientVersion['gitVersion'], `v${await packageVersion()}`);
  assert.match(json.clientVersion['platform'] ?? '', /^\w+\/\w+$/);
  assert.deepEqual(Object.keys(json), ['clientVersion']);
});

test('without a cluster the client is printed all the same, the cluster in one line, exit 2', async () => {
  const { code, stdout, stderr } = await runCli(['version'], { HOME: '/nonexistent' });
  assert.equal(code, 2);
  assert.match(stdout, /^Client Version: v/);
  assert.doesNotMatch(stdout, /Server/);
  assert.match(stderr, /^error: no cluster to connect to: .*\n$/);
});

test('a server that does not answer is named, with the client printed as JSON', async () => {
  const { code, stdout, stderr } = await runCli(['version', '-o', 'json', '--server', 'http://127.0.0.1:1']);
  assert.equal(code, 2);
  assert.deepEqual(Object.keys(JSON.parse(stdout) as Versions), ['clientVersion']);
  assert.match(
    stderr,
    /^error: cannot get \/version of server http:\/\/127\.0\.0\.1:1: connection refused\n$/,
  );
});

test('another format is refused before any cluster is asked', async () => {
  const { code, stdout, stderr } = await runCli(['version', '-o', 'table']);
  assert.deepEqual([code, stdout], [2, '']);
  assert.equal(stderr, 'error: -o table: unknown output format; allowed are json, yaml\n');
});
