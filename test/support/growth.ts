/** Whether something grows. */

/** A measurement: `value` after `count` events. */
export interface Point {
  readonly count: number;
  readonly value: number;
}

/** What one event more adds, by the line that fits all points best (least squares). */
export function growthOf(points: readonly Point[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const count = mean(points.map((point) => point.count));
  const value = mean(points.map((point) => point.value));
  const both = points.map((point) => (point.count - count) * (point.value - value));
  const spread = points.map((point) => (point.count - count) ** 2);
  return mean(both) / mean(spread);
}
