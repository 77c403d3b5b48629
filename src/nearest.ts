/** `, did you mean "json"?` for a word that is close to a known one, else "". */
export function nearest(word: string, known: readonly string[]): string {
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best = '';
  let distance = limit + 1;
  for (const candidate of known) {
    const found = editDistance(word.slice(0, 64), candidate);
    if (found < distance) {
      best = candidate;
      distance = found;
    }
  }
  return best === '' ? '' : `, did you mean "${best}"?`;
}

/** Levenshtein distance, with a swap of neighbours as one step. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1;
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + same,
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
