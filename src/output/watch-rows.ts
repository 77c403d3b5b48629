/** The rows of a watch, in any of its formats: first all there are, then each change. */
import { compareItems } from '../reconcile/build-report.ts';
import { REPORT_API_VERSION } from '../reconcile/report.ts';
import type { RowEvent } from '../watch/observer.ts';
import { claimColumns } from './columns.ts';
import { itemName } from './print-items.ts';
import { OUTCOME_COLORS } from './print-sync.ts';
import { toCompactJson } from './structured.ts';
import { GrowingTable } from './table.ts';
import type { Column, TableOptions } from './table.ts';

/** What -o may say for a watch: formats in which each row stands for itself. */
export type WatchFormat = 'table' | 'wide' | 'json' | 'name';

export interface WatchPrintOptions extends TableOptions {
  readonly format: WatchFormat;
  /** --output-watch-events. */
  readonly events: boolean;
  /** Something is done about the rows: tell what. */
  readonly sync: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Gives the text for stdout, event by event. */
export class WatchRows {
  readonly #options: WatchPrintOptions;
  readonly #table: GrowingTable<RowEvent>;

  constructor(options: WatchPrintOptions) {
    this.#options = options;
    this.#table = new GrowingTable(watchColumns(options), options);
  }

  /** All rows there are to begin with, in the published order. */
  first(events: readonly RowEvent[]): string {
    return this.#text(events.toSorted((a, b) => compareItems(a.row.item, b.row.item)));
  }

  /** One change. */
  next(event: RowEvent): string {
    return this.#text([event]);
  }

  #text(events: readonly RowEvent[]): string {
    switch (this.#options.format) {
      case 'json':
        return events.map((event) => `${toCompactJson(this.#object(event))}\n`).join('');
      case 'name':
        return events.map(({ row }) => `${itemName(row.item)}\n`).join('');
      default:
        return this.#table.rows(events);
    }
  }

  #object({ type, row: { item, outcome, message }, gone }: RowEvent): object {
    const object = {
      apiVersion: REPORT_API_VERSION,
      kind: 'ClaimState',
      time: new Date(this.#options.now()).toISOString(),
      ...item,
      gone,
      outcome,
      message,
    };
    return this.#options.events ? { type, object } : object;
  }
}

/** The columns of a watch's table. */
export function watchColumns({
  format,
  events,
  sync,
  now,
}: Pick<WatchPrintOptions, 'format' | 'events' | 'sync' | 'now'>): Column<RowEvent>[] {
  const claim = claimColumns(format === 'wide', now).map(({ cell, color, ...column }): Column<RowEvent> => ({
    ...column,
    least: LEAST[column.header] ?? 0,
    cell: (event) => (isGoneCell(column.header, event) ? GONE : cell(event.row.item)),
    ...(color === undefined ? {} : { color: (event) => (event.gone ? null : color(event.row.item)) }),
  }));
  return [...(events ? [EVENT] : []), ...claim, ...(sync ? [RESULT, WHY] : [])];
}

/** Later rows have longer words than the first ones may. */
const LEAST: Readonly<Record<string, number>> = {
  TENANT: 'Pending'.length,
  SUPER: 'Pending'.length,
  VERDICT: 'TenantNotBound'.length,
};
const GONE = '<gone>';
const NONE = '<none>';

/** Of what is gone nothing can be said but that. */
function isGoneCell(header: string, { gone }: RowEvent): boolean {
  return gone && header === 'VERDICT';
}

const EVENT: Column<RowEvent> = { header: 'EVENT', cell: ({ type }) => type, least: 'MODIFIED'.length };

const RESULT: Column<RowEvent> = {
  header: 'RESULT',
  least: 'Contested'.length,
  cell: ({ row }) => row.outcome ?? NONE,
  color: ({ row }) => (row.outcome === null ? null : COLORS[row.outcome]),
};

const WHY: Column<RowEvent> = {
  header: 'WHY',
  cell: ({ row }) => row.message || NONE,
  shorten: 'end',
  leaveOut: 0,
};

const COLORS = { ...OUTCOME_COLORS, Contested: 'red' } as const;
