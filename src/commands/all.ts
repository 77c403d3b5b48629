/** Every command: what it looks like, and what runs it. What a command needs is imported when it is called. */
import type { Arguments } from '../flags/arguments.ts';
import { CHECK, checkFlags } from '../flags/check.ts';
import { COMPLETION, shellOf } from '../flags/completion.ts';
import { CONNECTION_OPTIONS, connectionFlags } from '../flags/connection.ts';
import { EXPLAIN, explainFlags, namespaceInView } from '../flags/explain.ts';
import type { CommandForm } from '../flags/form.ts';
import { HELP, OPTIONS } from '../flags/help.ts';
import { commandNamed } from '../flags/parse.ts';
import { scopeOf } from '../flags/scope.ts';
import { SNAPSHOT, snapshotFlags } from '../flags/snapshot.ts';
import { SYNC, syncFlags } from '../flags/sync.ts';
import { VERSION, versionFlags } from '../flags/version.ts';
import { WATCH, watchFlags } from '../flags/watch.ts';
import type { Surroundings } from './check.ts';
import { fleetSource } from './fleet-source.ts';

interface Command {
  readonly form: CommandForm;
  /** A signal is its regular end: it says itself what its exit code is then. */
  readonly untilSignal?: true;
  /** @returns the exit code. @throws UserError */
  readonly run: (argv: Arguments, surroundings: Surroundings) => Promise<number>;
}

/** In the order of the help. */
export const COMMANDS: readonly Command[] = [
  {
    form: CHECK,
    run: async (argv, surroundings) => {
      const flags = checkFlags(argv);
      const { check } = await import('./check.ts');
      return check(flags, fleetSource(argv, scopeOf(argv).namespace), surroundings);
    },
  },
  {
    form: EXPLAIN,
    run: async (argv, surroundings) => {
      const flags = explainFlags(argv);
      const { explain } = await import('./explain.ts');
      return explain(flags, fleetSource(argv, namespaceInView(argv), true), surroundings);
    },
  },
  {
    form: SYNC,
    run: async (argv, surroundings) => {
      const flags = syncFlags(argv);
      const { sync } = await import('./sync.ts');
      return sync(flags, fleetSource(argv, scopeOf(argv).namespace), surroundings);
    },
  },
  {
    form: WATCH,
    untilSignal: true,
    run: async (argv, surroundings) => {
      const flags = watchFlags(argv);
      const { watch } = await import('./watch.ts');
      const { namespace } = scopeOf(argv);
      return watch(flags, namespace, fleetSource(argv, namespace), surroundings);
    },
  },
  {
    form: SNAPSHOT,
    run: async (argv, surroundings) => {
      const flags = snapshotFlags(argv);
      const { snapshot } = await import('./snapshot.ts');
      return snapshot(flags, fleetSource(argv, scopeOf(argv).namespace), surroundings);
    },
  },
  {
    form: VERSION,
    run: async (argv, surroundings) => {
      const flags = versionFlags(argv);
      const { version } = await import('./version.ts');
      const source = fleetSource(argv, scopeOf(argv).namespace);
      return version(flags, connectionFlags(argv), source, surroundings);
    },
  },
  {
    form: COMPLETION,
    run: async (argv, surroundings) => {
      const shell = shellOf(argv);
      const { completion } = await import('./completion.ts');
      return completion(shell, surroundings);
    },
  },
  {
    form: HELP,
    run: async ({ words: [name] }, surroundings) => {
      const { showHelp } = await import('./help.ts');
      return showHelp(name === undefined ? null : commandNamed(name, FORMS), FORMS, surroundings);
    },
  },
  {
    form: OPTIONS,
    run: async (_argv, surroundings) => {
      const { showOptions } = await import('./help.ts');
      return showOptions(CONNECTION_OPTIONS, surroundings);
    },
  },
];

/** What they look like. */
export const FORMS: readonly CommandForm[] = COMMANDS.map(({ form }) => form);
