/** Every flag of every command. */
import { switchNames } from './arguments.ts';
import { CHECK_OPTIONS } from './check.ts';
import { CONNECTION_OPTIONS } from './connection.ts';
import { EXPLAIN_OPTIONS } from './explain.ts';
import { RESULT_OPTIONS, SCOPE_OPTIONS } from './scope.ts';
import { SNAPSHOT_OPTIONS } from './snapshot.ts';
import { SYNC_OPTIONS } from './sync.ts';
import { WATCH_OPTIONS } from './watch.ts';

const TABLES = [
  CONNECTION_OPTIONS,
  SCOPE_OPTIONS,
  RESULT_OPTIONS,
  CHECK_OPTIONS,
  SYNC_OPTIONS,
  EXPLAIN_OPTIONS,
  SNAPSHOT_OPTIONS,
  WATCH_OPTIONS,
];

/** For telling the nearest one to a mistyped one. */
export const FLAG_NAMES: readonly string[] = TABLES.flatMap(Object.keys);

/** Those that take no value, with their short forms. */
export const SWITCH_NAMES: ReadonlySet<string> = new Set([...TABLES.flatMap(switchNames), 'help', 'h']);
