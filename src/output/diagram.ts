/** The four objects of a pair as boxes, and the links between them, the broken ones marked. */
import type { ChainLink, ChainNode, Explanation, NodeId } from '../reconcile/explain/explanation.ts';
import { displayWidth, shorten } from './display-width.ts';
import type { Glyphs } from './glyphs.ts';
import type { Paint } from './paint.ts';

export interface DiagramOptions {
  readonly glyphs: Glyphs;
  readonly paint: Paint;
  /** Terminal columns; null where nothing is to be cut. */
  readonly width: number | null;
}

const MARGIN = '  ';
/** Columns between two boxes side by side. */
const GAP = 7;
/** What a box takes besides its text: two borders, two blanks. */
const FRAME = 4;
/** Text of a box, columns: room for the title beside a link; and what may be cut down to. */
const LEAST = 26;
const MOST = 60;

/** Lines without newlines. Tenant above, super cluster below; on a very narrow terminal one box below the other. */
export function diagram({ chain, virtualCluster }: Explanation, options: DiagramOptions): string[] {
  const { nodes, links } = chain;
  const natural = Math.max(LEAST, ...nodes.flatMap(contentOf).map(displayWidth));
  const besides = options.width === null ? Infinity : Math.floor((options.width - 2 - GAP) / 2) - FRAME;
  const drawing = { ...options, links: new Map(links.map((link) => [link.from, link])) };
  const titles = [`tenant ${virtualCluster.namespace}/${virtualCluster.name}`, 'super cluster'] as const;
  if (besides < LEAST) {
    const below = Math.max(8, (options.width ?? 80) - MARGIN.length - FRAME);
    return stacked(nodes, Math.min(natural, below), drawing);
  }
  return square(nodes, Math.min(natural, besides, options.width === null ? Infinity : MOST), titles, drawing);
}

interface Drawing extends DiagramOptions {
  /** By the node they start from. */
  readonly links: ReadonlyMap<NodeId, ChainLink>;
}

/** Three lines each: what, where, how. */
function contentOf(node: ChainNode): string[] {
  const { kind, name, namespace, present, reclaimPolicy } = node;
  if (kind === 'PersistentVolume') {
    if (name === '') return ['no volume', '', ''];
    return [`volume ${name}`, reclaimPolicy === null ? '' : `reclaim policy ${reclaimPolicy}`, stateOf(node)];
  }
  return [`claim ${name}`, `in ${namespace ?? ''}`, present ? stateOf(node) : 'absent'];
}

function stateOf({ present, phase, terminating }: ChainNode): string {
  if (!present) return 'absent';
  return `${phase ?? ''}${terminating ? ', being deleted' : ''}`;
}

function square(
  [tenantClaim, tenantVolume, superVolume, superClaim]: readonly ChainNode[],
  inner: number,
  [above, below]: readonly [string, string],
  drawing: Drawing,
): string[] {
  if (!tenantClaim || !tenantVolume || !superVolume || !superClaim) return [];
  const { glyphs, paint } = drawing;
  const [mark, copy] = [drawing.links.get('superClaim'), drawing.links.get('tenantVolume')];
  const middle = Math.floor((inner + FRAME) / 2);
  const between = ' '.repeat(GAP);
  const edge = (top: boolean): string =>
    [mark, copy]
      .map((link) => border(inner, top, link?.state === 'absent' ? null : middle, glyphs))
      .join(between);
  const verticals = (title: string, marked: boolean): string => {
    const left = title.padEnd(middle) + vertical(mark, marked, drawing);
    return left + ' '.repeat(inner + FRAME + GAP - 1) + vertical(copy, marked, drawing);
  };
  return [
    shorten(above, 2 * (inner + FRAME) + GAP, 'middle'),
    [0, 1].map(() => border(inner, true, null, glyphs)).join(between),
    ...row(tenantClaim, tenantVolume, inner, drawing.links.get('tenantClaim'), drawing),
    edge(false),
    verticals('', true),
    verticals(below, false),
    edge(true),
    ...row(superClaim, superVolume, inner, drawing.links.get('superVolume'), drawing),
    [0, 1].map(() => border(inner, false, null, glyphs)).join(between),
  ].map((line, index) =>
    `${MARGIN}${index === 0 ? paint('bold', line) : boldTitle(line, below, paint)}`.trimEnd(),
  );
}

function boldTitle(line: string, title: string, paint: Paint): string {
  return line.startsWith(title) ? paint('bold', title) + line.slice(title.length) : line;
}

/** Two boxes side by side, with the link on the middle line. */
function row(
  left: ChainNode,
  right: ChainNode,
  inner: number,
  link: ChainLink | undefined,
  drawing: Drawing,
): string[] {
  const [first, second] = [sides(left, inner, drawing), sides(right, inner, drawing)];
  const { glyphs } = drawing;
  return first.map((text, index) => {
    const linked = index === 1 && link !== undefined && link.state !== 'absent';
    const gap = linked ? horizontal(link, drawing) : ' '.repeat(GAP);
    const [end, start] = linked ? [glyphs.right, glyphs.left] : [glyphs.vertical, glyphs.vertical];
    return `${glyphs.vertical}${text}${end}${gap}${start}${second[index] ?? ''}${glyphs.vertical}`;
  });
}

/** The text lines of a box, without its borders. */
function sides(node: ChainNode, inner: number, { paint }: Drawing): string[] {
  return contentOf(node).map((text, index) => {
    const shown = shorten(text, inner, 'middle');
    const padding = ' '.repeat(inner - displayWidth(shown));
    const color = index === 2 ? phaseColor(node) : null;
    return ` ${color === null ? shown : paint(color, shown)}${padding} `;
  });
}

function phaseColor({
  phase,
  name,
  terminating,
  reclaimPolicy,
}: ChainNode): 'green' | 'red' | 'yellow' | null {
  if (name === '') return null;
  if (terminating) return 'yellow';
  if (phase === 'Bound' || (phase === 'Available' && reclaimPolicy !== null)) return 'green';
  return phase === 'Pending' ? 'yellow' : 'red';
}

function border(inner: number, top: boolean, link: number | null, glyphs: Glyphs): string {
  const line = glyphs.horizontal.repeat(inner + FRAME - 2);
  const joint = top ? glyphs.up : glyphs.down;
  const drawn = link === null ? line : line.slice(0, link - 1) + joint + line.slice(link);
  return top
    ? `${glyphs.topLeft}${drawn}${glyphs.topRight}`
    : `${glyphs.bottomLeft}${drawn}${glyphs.bottomRight}`;
}

function horizontal({ state }: ChainLink, { glyphs, paint }: Drawing): string {
  const half = glyphs.horizontal.repeat((GAP - 1) / 2);
  if (state === 'ok') return half + glyphs.horizontal + half;
  const open = glyphs.horizontal.repeat((GAP - 3) / 2);
  return `${open} ${paint('red', glyphs.broken)} ${open}`;
}

/** One character; the mark of a broken link is on one of its lines only. */
function vertical(link: ChainLink | undefined, marked: boolean, { glyphs, paint }: Drawing): string {
  if (link === undefined || link.state === 'absent') return ' ';
  return link.state === 'broken' && marked ? paint('red', glyphs.broken) : glyphs.vertical;
}

/** One box below the other. */
function stacked(nodes: readonly ChainNode[], inner: number, drawing: Drawing): string[] {
  const { glyphs } = drawing;
  const lines = nodes.flatMap((node, index) => {
    const box = [
      border(inner, true, null, glyphs),
      ...sides(node, inner, drawing).map((text) => `${glyphs.vertical}${text}${glyphs.vertical}`),
      border(inner, false, null, glyphs),
    ];
    const [head = '', ...rest] = box;
    const titled = node.cluster === 'super' ? 'super cluster' : 'tenant';
    const link = drawing.links.get(node.id);
    const joint = index === nodes.length - 1 ? [] : [' '.repeat(4) + vertical(link, true, drawing)];
    return [titled, head, ...rest, ...joint];
  });
  return lines.map((line) => `${MARGIN}${line}`.trimEnd());
}
