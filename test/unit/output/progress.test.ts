import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { describe, it } from 'node:test';
import { startProgress } from '../../../src/output/progress.ts';

/** A terminal that remembers what it was sent. */
class Terminal extends PassThrough {
  readonly columns: number;
  readonly isTTY = true;
  shown = '';

  constructor(columns = 80) {
    super();
    this.columns = columns;
    this.on('data', (chunk: Buffer) => {
      this.shown += chunk.toString();
    });
  }

  cursorTo(): boolean {
    return this.write('<start>');
  }

  moveCursor(): boolean {
    return true;
  }

  clearLine(): boolean {
    return this.write('<clear>');
  }

  async shows(text: string): Promise<void> {
    while (!this.shown.includes(text)) await once(this, 'data');
  }
}

function asStream(terminal: object): WriteStream {
  return terminal as unknown as WriteStream;
}

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';

describe('progress', () => {
  it('tells tenants done and claims read on a terminal, then clears its line and shows the cursor again', async () => {
    const terminal = new Terminal();
    const progress = await startProgress(3, asStream(terminal), {});
    progress.claimsRead(10);
    progress.claimsRead(5);
    progress.tenantDone();
    await terminal.shows('1 of 3 tenants compared, 15 claims read');
    progress.stop();
    assert.ok(terminal.shown.startsWith(HIDE_CURSOR));
    assert.ok(terminal.shown.lastIndexOf('<clear>') > terminal.shown.lastIndexOf('claims read'));
    assert.ok(terminal.shown.endsWith(SHOW_CURSOR));
  });

  it('redraws at its own pace, not at every piece of news', async () => {
    const terminal = new Terminal();
    const progress = await startProgress(1, asStream(terminal), {});
    for (let news = 0; news < 10_000; news += 1) progress.claimsRead(1);
    await terminal.shows('10000 claims read');
    progress.stop();
    assert.ok(terminal.shown.split('claims read').length < 20);
  });

  it('is silent in a pipe, on a dumb terminal and on one without a size', async () => {
    const pipe = Object.assign(new Terminal(), { isTTY: false });
    const dumb = new Terminal();
    const sizeless = new Terminal(0);
    for (const [terminal, environment] of [
      [pipe, {}],
      [dumb, { TERM: 'dumb' }],
      [sizeless, {}],
    ] as const) {
      const progress = await startProgress(2, asStream(terminal), environment);
      progress.tenantDone();
      progress.claimsRead(1);
      progress.stop();
      assert.equal(terminal.shown, '');
    }
  });
});
