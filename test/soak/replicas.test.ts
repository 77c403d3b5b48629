/** Replicas under random schedules. */
import { test } from 'node:test';
import { assertSchedulesHold } from '../support/replica-schedules.ts';

test('whatever happens, no two replicas may ever write one tenant, and once it is calm each has one that may', () => {
  assertSchedulesHold(20_000);
});
