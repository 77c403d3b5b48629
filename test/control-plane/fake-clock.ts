/**
 * A fake, loaded into a child process before the program: its wall clock is set forward by an hour on the first SIGUSR2,
 * back by two on the second, right on the third, and so on. The monotonic clock goes on, as where a machine's clock is set.
 */
import process from 'node:process';

const HOUR = 3_600_000;
const OFFSETS = [0, HOUR, -HOUR] as const;

const now = Date.now.bind(Date);
let step = 0;
Date.now = () => now() + (OFFSETS[step % OFFSETS.length] ?? 0);
process.on('SIGUSR2', () => {
  step += 1;
});
