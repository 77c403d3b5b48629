/** Help in kubectl's form (k8s.io/kubectl pkg/util/templates): description, examples, options with defaults, usage. */
import wrapAnsi from 'wrap-ansi';
import type { Flag, OptionTable } from '../flags/arguments.ts';
import type { CommandForm, Example } from '../flags/form.ts';

/** As its help calls it. */
const PROGRAM = 'kubectl vc-pvc';
/** Longer lines are hard to read. Columns. */
const WIDEST = 120;
/** Where the output is no terminal. Columns. */
const USUAL = 80;
const GLOBAL = `Use "${PROGRAM} options" for a list of global command-line options (applies to all commands).`;

/** The help of the program as a whole. @param width of the terminal, null for none. Ends in a newline. */
export function overviewHelp(commands: readonly CommandForm[], width: number | null): string {
  const longest = Math.max(...commands.map(({ name }) => name.length));
  return sections(width, [
    (wrap) =>
      [
        'The storage truth of VirtualCluster tenants: finds, explains and reconciles claims whose tenant and super cluster state disagree.',
        `Flags come after the plugin's name: "${PROGRAM} -n team-b check" works, "kubectl -n team-b vc-pvc" cannot: kubectl takes no flags in front of a plugin.`,
        'Exit codes of check, explain and sync: 0 nothing is wrong, 1 something is, 2 an error.',
      ]
        .map((text) => wrap(text, 0))
        .join('\n\n'),
    () => titled('Examples:', examples(OVERVIEW)),
    (wrap) =>
      titled(
        'Available Commands:',
        commands.map(
          ({ name, short }) => `  ${name.padEnd(longest)}   ${wrap(short, longest + 5).trimStart()}`,
        ),
      ),
    () => titled('Usage:', [`  ${PROGRAM} [command] [options]`]),
    (wrap) =>
      [`Use "${PROGRAM} <command> --help" for more information about a given command.`, GLOBAL]
        .map((text) => wrap(text, 0))
        .join('\n'),
  ]);
}

const OVERVIEW: readonly Example[] = [
  { comment: 'Find every claim whose two sides disagree', line: `${PROGRAM} check` },
  { comment: 'Tell what is wrong with one, and what mends it', line: `${PROGRAM} explain shop/cart-0` },
  { comment: 'Make the tenants tell the truth, and keep it so', line: `${PROGRAM} sync --hold` },
];

/** The help of one command. @param width of the terminal, null for none. Ends in a newline. */
export function commandHelp(form: CommandForm, width: number | null): string {
  const { name, usage, short, long, options } = form;
  return sections(width, [
    (wrap) => [...(long.length === 0 ? [short] : long)].map((text) => wrap(text, 0)).join('\n\n'),
    () => titled('Examples:', examples(form.examples)),
    (wrap) => titled('Options:', [optionLines(options, wrap)].filter(Boolean)),
    () =>
      titled('Usage:', [
        `  ${[PROGRAM, name, usage, Object.keys(options).length > 0 ? '[options]' : ''].filter(Boolean).join(' ')}`,
      ]),
    (wrap) => wrap(GLOBAL, 0),
  ]);
}

/** The flags that every command takes. @param width of the terminal, null for none. Ends in a newline. */
export function globalOptionsHelp(options: OptionTable, width: number | null): string {
  return sections(width, [
    (wrap) => wrap('The following options can be passed to any command:', 0),
    (wrap) => optionLines(options, wrap),
  ]);
}

/** Wraps a text; every line is indented. */
type Wrap = (text: string, indent: number) => string;

function sections(width: number | null, parts: readonly ((wrap: Wrap) => string)[]): string {
  const columns = Math.min(width || USUAL, WIDEST);
  const wrap: Wrap = (text, indent) =>
    wrapAnsi(text, Math.max(columns - indent, 20))
      .split('\n')
      .map((line) => `${' '.repeat(indent)}${line}`)
      .join('\n');
  const texts = parts.map((part) => part(wrap)).filter((text) => text !== '');
  return `${texts.join('\n\n')}\n`;
}

/** "" where there is nothing to tell. */
function titled(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [title, ...lines].join('\n');
}

function examples(list: readonly Example[]): string[] {
  return list.flatMap(({ comment, line }, index) => [
    ...(index === 0 ? [] : ['']),
    `  # ${comment}`,
    `  ${line}`,
  ]);
}

/** One flag above its description, in the order of the alphabet. */
function optionLines(options: OptionTable, wrap: Wrap): string {
  return Object.entries(options)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, flag]) => `    ${signature(name, flag)}:\n${wrap(description(flag), 8)}`)
    .join('\n\n');
}

/** `-o, --output='':` as kubectl pkg/util/templates/help_flags_printer.go writes it; numbers and times are not quoted. */
function signature(name: string, { type, alias, array, default: value = '' }: Flag): string {
  const dashed = (one: string): string => (one.length === 1 ? `-${one}` : `--${one}`);
  const names = [name, ...(alias === undefined ? [] : [alias])].sort((a, b) => a.length - b.length);
  const shown = array === true ? '[]' : /^\d/.test(value) ? value : `'${value}'`;
  return `${names.map(dashed).join(', ')}=${type === 'boolean' ? 'false' : shown}`;
}

function description({ description: text, choices }: Flag): string {
  return choices === undefined ? `${text}.` : `${text}. One of: (${choices.join(', ')}).`;
}
