/** One screen of a watched fleet: a head, the tenants that need a look, the claims that are not Consistent. */
import { stripVTControlCharacters, styleText } from 'node:util';
import { compareItems } from '../reconcile/build-report.ts';
import { compareNames } from '../reconcile/order.ts';
import { isMismatch } from '../reconcile/verdict.ts';
import type { TenantHealth, WatchRow } from '../watch/observer.ts';
import { displayWidth, shorten } from './display-width.ts';
import { stripControl } from '../errors.ts';
import { count, nameOf } from './summary.ts';
import { renderTable } from './table.ts';
import type { Column } from './table.ts';
import { watchColumns } from './watch-rows.ts';

/** What is shown of one tenant. */
export interface TenantLine {
  readonly health: TenantHealth;
  readonly claims: number;
  readonly rows: readonly WatchRow[];
  /** Milliseconds since its API server was last heard; null where it never was. */
  readonly silent: number | null;
}

export interface ScreenView {
  /** What the super cluster is called. */
  readonly superCluster: string;
  readonly superUp: boolean;
  readonly tenants: readonly TenantLine[];
  /** The first look is not over yet. */
  readonly starting: boolean;
  readonly sync: boolean;
  readonly wide: boolean;
}

export interface ScreenOptions {
  readonly width: number;
  readonly height: number;
  readonly color: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Lines without newlines, no more than the height has room for. */
export function renderScreen(view: ScreenView, options: ScreenOptions): string[] {
  const { width, height, color } = options;
  const head = headLines(view, options);
  const rows = view.tenants.flatMap((tenant) => tenant.rows).toSorted(byUrgency);
  const tenants = view.tenants.toSorted(byHealth);
  // The claims are what a reader came for: tenants get a third of the room, more where claims leave it.
  const room = Math.max(0, height - head.length);
  const tenantRoom = Math.max(Math.floor(room / 3), room - rows.length - 3);
  const shown = cut(tenants, tenantRoom - 2, 'tenant');
  const tenantLines = tableLines(TENANT_COLUMNS, shown.elements, width, color);
  const upper = [...tenantLines, ...shown.rest, ''];
  const cutRows = cut(rows, room - upper.length - 1, 'claim');
  const events = cutRows.elements.map((row) => ({ type: 'ADDED', row, gone: false }) as const);
  const columns = watchColumns({
    format: view.wide ? 'wide' : 'table',
    events: false,
    sync: view.sync,
    now: () => options.now,
  });
  const lower = rows.length === 0 ? [quiet(view)] : tableLines(columns, events, width, color);
  return [...head, ...upper, ...lower, ...cutRows.rest].slice(0, height).map((line) => within(line, width));
}

/** A table that cannot be made as narrow as the terminal has longer lines: one that wraps would scroll the screen. */
function within(line: string, width: number): string {
  const plain = stripVTControlCharacters(line);
  return displayWidth(plain) <= width ? line : shorten(plain, width, 'end');
}

function headLines(
  { superCluster, superUp, tenants, starting }: ScreenView,
  { width, color, now }: ScreenOptions,
): string[] {
  const down = tenants.filter(({ health }) => health.state === 'down').length;
  const rows = tenants.flatMap((tenant) => tenant.rows);
  const mismatched = rows.filter(({ item }) => isMismatch(item.verdict)).length;
  const held = rows.filter(({ item }) => item.verdict === 'Held').length;
  const claims = tenants.reduce((sum, tenant) => sum + tenant.claims, 0);
  const state = [
    count(tenants.length, 'VirtualCluster'),
    ...(down > 0 ? [`${down} not reached`] : []),
    count(claims, 'claim'),
    count(mismatched, 'mismatch', 'mismatches'),
    ...(held > 0 ? [`${held} held`] : []),
    ...(starting ? ['reading'] : []),
  ].join(', ');
  const time = new Date(now).toISOString().slice(11, 19);
  const first = shorten(
    stripControl(`${time}Z  ${superCluster}${superUp || starting ? '' : ' (not reached)'}`),
    width,
    'end',
  );
  const second = shorten(state, width, 'end');
  if (!color) return [first, second, ''];
  const paint = mismatched + down > 0 || !superUp ? 'red' : 'green';
  return [
    styleText('bold', first, { validateStream: false }),
    styleText(paint, second, { validateStream: false }),
    '',
  ];
}

function quiet({ starting, tenants }: ScreenView): string {
  if (starting) return 'Reading claims…';
  return tenants.length === 0 ? 'No VirtualCluster is Running here.' : 'Nothing is mismatched.';
}

const TENANT_COLUMNS: readonly Column<TenantLine>[] = [
  {
    header: 'VIRTUALCLUSTER',
    cell: ({ health }) => nameOf(health.virtualCluster),
    shorten: 'middle',
  },
  {
    header: 'STATE',
    cell: ({ health }) => health.state,
    color: ({ health }) => ({ starting: 'yellow', up: 'green', down: 'red' } as const)[health.state],
  },
  { header: 'CLAIMS', cell: ({ claims }) => String(claims) },
  { header: 'MISMATCHED', cell: ({ rows }) => String(mismatches(rows)) },
  { header: 'HELD', cell: ({ rows }) => String(rows.filter(({ item }) => item.verdict === 'Held').length) },
  {
    header: 'HEARD',
    cell: ({ silent }) => (silent === null ? '<never>' : `${Math.floor(silent / 1000)}s ago`),
    leaveOut: 1,
  },
  { header: 'ERROR', cell: ({ health }) => health.error, shorten: 'end' },
];

/** As many as there is room for, and a line that tells of the others. */
function cut<T>(
  elements: readonly T[],
  room: number,
  what: string,
): { readonly elements: readonly T[]; readonly rest: readonly string[] } {
  if (elements.length <= Math.max(0, room)) return { elements, rest: [] };
  const shown = Math.max(0, room - 1);
  return {
    elements: elements.slice(0, shown),
    rest: [`… and ${count(elements.length - shown, `more ${what}`)}`],
  };
}

function tableLines<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  width: number,
  color: boolean,
): string[] {
  return rows.length === 0
    ? []
    : renderTable(columns, rows, { headers: true, color, width }).trimEnd().split('\n');
}

function mismatches(rows: readonly WatchRow[]): number {
  return rows.filter(({ item }) => isMismatch(item.verdict)).length;
}

function byHealth(a: TenantLine, b: TenantLine): number {
  const weight = ({ health, rows }: TenantLine): number =>
    health.state === 'down' ? Infinity : mismatches(rows);
  const [heavy, light] = [weight(b), weight(a)];
  if (heavy !== light) return heavy > light ? 1 : -1;
  return compareNames(a.health.virtualCluster, b.health.virtualCluster);
}

/** What is wrong before what is held, each in the published order. */
function byUrgency(a: WatchRow, b: WatchRow): number {
  const rank = ({ item }: WatchRow): number => (isMismatch(item.verdict) ? 0 : 1);
  return rank(a) - rank(b) || compareItems(a.item, b.item);
}
