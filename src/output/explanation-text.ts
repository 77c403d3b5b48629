/** The screen of `explain`: the answer first, then the diagram, the data, the remedy, and last what proves it all. */
import wrapAnsi from 'wrap-ansi';
import type { Step } from '../reconcile/explain/explanation.ts';
import type { ClusterSide } from '../reconcile/explain/scene.ts';
import { diagram } from './diagram.ts';
import { eventLines } from './event-lines.ts';
import { factLines } from './fact-lines.ts';
import type { Glyphs } from './glyphs.ts';
import type { Paint } from './paint.ts';
import type { ExplanationWithHints } from './print-explanation.ts';

export interface TextOptions {
  readonly glyphs: Glyphs;
  readonly paint: Paint;
  /** Terminal columns; null for a pipe or file. */
  readonly width: number | null;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly kubectl: Readonly<Record<ClusterSide, readonly string[] | null>>;
  readonly superCluster: string | null;
}

interface Commands {
  /** null where there is none, or none can be printed. */
  readonly now: string | null;
  readonly afterwards: string | null;
}

/** Lines of prose longer than this are hard to read, however wide the terminal is. */
const WIDEST = 100;
/** For a pipe. */
const USUAL = 80;

/** @param explanation with clean texts @returns ends in a newline */
export function explanationText(
  explanation: ExplanationWithHints,
  commands: Commands,
  options: TextOptions,
): string {
  const sections = [
    headSection(explanation, options),
    diagramSection(explanation, options),
    dataSection(explanation, options),
    remedySection(explanation, commands, options),
    section('Syncer', [explanation.syncer], options),
    [heading('Evidence', options), ...factLines(explanation.facts, options)],
    eventLines(explanation.events, options, (text) => wrapped(text, 2, options)),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function headSection(
  {
    summary,
    mismatch,
    settling,
    virtualCluster,
    tenant,
    super: superClaim,
    verdict,
    cause,
    chain,
    data,
  }: ExplanationWithHints,
  options: TextOptions,
): string[] {
  const { glyphs, paint } = options;
  const whole = data.state !== 'danger' && chain.links.every(({ state }) => state !== 'broken');
  const [mark, color] =
    mismatch && !settling
      ? ([glyphs.broken, 'red'] as const)
      : verdict === 'Consistent' && whole
        ? ([glyphs.fine, 'green'] as const)
        : ([glyphs.notable, 'yellow'] as const);
  const claim = tenant ?? superClaim;
  const judged = `${verdict}${settling ? ' (settling)' : ''}${cause === null ? '' : `, ${cause.code}: see ${cause.reference}`}`;
  const about = [
    ...wrapped(
      `claim ${claim?.namespace ?? ''}/${claim?.name ?? ''} of VirtualCluster ${virtualCluster.namespace}/${virtualCluster.name}`,
      2,
      options,
    ),
    ...wrapped(judged, 2, options),
  ];
  const [first = '', ...rest] = wrapped(summary, 2, options);
  return [
    `${paint(color, mark)} ${paint('bold', first.trimStart())}`,
    ...rest.map((line) => paint('bold', line)),
    ...about.map((line) => paint('dim', line)),
  ];
}

function diagramSection(explanation: ExplanationWithHints, options: TextOptions): string[] {
  const { glyphs, paint } = options;
  const broken = explanation.chain.links.filter(({ state }) => state === 'broken');
  const problems = broken.flatMap(({ problem }) => wrapped(`${glyphs.broken} ${problem}`, 4, options));
  return [...diagram(explanation, options), ...problems.map((line) => paint('red', line))];
}

function dataSection({ data }: ExplanationWithHints, options: TextOptions): string[] {
  const title = { safe: 'safe', danger: 'IN DANGER', unknown: 'cannot be told', none: 'no disk yet' }[
    data.state
  ];
  const destroyed =
    data.destroyedBy.length === 0 ? '' : ` What would destroy it: ${data.destroyedBy.join('; ')}.`;
  return section(`Data: ${title}`, [`${data.text}${destroyed}`], options);
}

function remedySection(
  explanation: ExplanationWithHints,
  commands: Commands,
  options: TextOptions,
): string[] {
  const { kind, text, steps, risk, afterwards } = explanation.remedy;
  const title = {
    mend: 'Remedy',
    protect: 'Remedy: none yet, but the disk can be kept',
    sync: 'Remedy: kubectl vc-pvc sync',
    wait: 'Remedy: none needed',
    none: 'Remedy: no safe command',
  }[kind];
  const [first] = steps;
  if (first === undefined || risk === null) return section(title, [text], options);
  const later = `Later, once it is Bound and in order, this ${afterwards[0]?.purpose ?? ''}:`;
  const where = `Run it against ${target(first, explanation, options)}. A call that only tests writes nothing. Where anything has changed since, kubectl says "The request is invalid" and nothing is written. Then, or to see what it has done, explain again.`;
  return [
    ...section(title, [text, `Risk: ${risk.level}. ${risk.text}`, where], options),
    '',
    ...(commands.now === null ? stepLines(steps, options) : [commands.now]),
    ...(commands.afterwards === null ? [] : ['', ...wrapped(later, 2, options), '', commands.afterwards]),
  ];
}

/**
 * Stands for the context of a recording's super cluster: there is none of this name, so that a command that is pasted
 * as it is fails, and does not run against whatever cluster is current.
 */
export const UNKNOWN_CONTEXT = 'SUPER-CLUSTER';

/** The cluster that a command goes to. */
function target(
  { cluster }: Step,
  { virtualCluster: { namespace, name } }: ExplanationWithHints,
  { superCluster, kubectl }: TextOptions,
): string {
  if (cluster === 'tenant') {
    return kubectl.tenant === null
      ? `the TENANT ${namespace}/${name} (with --tenant-kubeconfig ${namespace}/${name}=FILE the command is printed here)`
      : `the TENANT ${namespace}/${name}`;
  }
  if (superCluster !== null) return `the SUPER CLUSTER, ${superCluster}`;
  const hint =
    kubectl.super?.includes(UNKNOWN_CONTEXT) === true
      ? `: put its context in place of ${UNKNOWN_CONTEXT}`
      : '';
  return `the SUPER CLUSTER that the recording was made of${hint}`;
}

/** What would be done, where no command can be printed. */
function stepLines(steps: readonly Step[], options: TextOptions): string[] {
  return steps.flatMap(({ kind, namespace, name, purpose }) => {
    const object = namespace === null ? name : `${namespace}/${name}`;
    const what = kind === 'PersistentVolume' ? 'volume' : 'claim';
    return wrapped(`${options.glyphs.neutral} ${what} ${object}: ${purpose}`, 4, options);
  });
}

function section(title: string, paragraphs: readonly string[], options: TextOptions): string[] {
  return [heading(title, options), ...paragraphs.flatMap((text) => wrapped(text, 2, options))];
}

function heading(title: string, { paint }: TextOptions): string {
  return paint('bold', title);
}

/** A paragraph, indented; further lines of an item that begins with a mark go below its text. */
function wrapped(text: string, indent: number, { width }: TextOptions): string[] {
  const room = Math.min(width ?? USUAL, WIDEST) - indent;
  const hanging = /^\W /.test(text) ? 2 : 0;
  return wrapAnsi(text, Math.max(20, room - hanging))
    .split('\n')
    .map((line, index) => ' '.repeat(indent + (index === 0 ? 0 : hanging)) + line);
}
