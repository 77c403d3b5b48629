/** What ends a watch whose super cluster does not answer when it starts. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { eventually } from '../../control-plane/eventually.ts';
import { RunningCli } from '../../support/running-cli.ts';
import { SilentServer } from '../../support/silent-server.ts';

let silent: SilentServer;
beforeEach(async () => {
  silent = await SilentServer.start();
});
afterEach(() => silent.stop());

function watch(...args: readonly string[]): RunningCli {
  return new RunningCli(['watch', '-A', '-s', silent.url, ...args], {});
}

const asked = (): Promise<unknown> => eventually('a connection', () => Promise.resolve(silent.open > 0));

test('--timeout ends it, with 2 and one line', async () => {
  const { code, stdout, stderr } = await watch('--timeout=1s').end();
  assert.match(stderr, /^error: cannot get .*virtualclusters of .*: no complete answer within 1s\n$/);
  assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
});

for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
  test(`${signal} ends it with 0, and nothing is told`, async () => {
    const running = watch();
    await asked();
    running.signal(signal);
    const { code, stdout, stderr } = await running.end();
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '', stderr: '' });
  });
}

test('Ctrl-C ends it with 130', async () => {
  const running = watch();
  await asked();
  running.signal('SIGINT');
  assert.equal((await running.end()).code, 130);
});
