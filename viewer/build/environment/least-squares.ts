/** One equation of an overdetermined system: the sum of the terms, each with its coefficient, should be the value. */
export type Equation = { terms: readonly number[]; value: number; weight: number };

/** Returns the coefficients with the smallest sum of squared errors. */
export function solveLeastSquares(equations: readonly Equation[]): number[] {
  const count = equations[0]?.terms.length ?? 0;
  // The normal equations, each with its value at the end.
  const rows = Array.from({ length: count }, () => new Array<number>(count + 1).fill(0));
  for (const { terms, value, weight } of equations) {
    const all = [...terms, value];
    for (const [i, row] of rows.entries())
      for (const [j, term] of all.entries())
        row[j] = at(row, j) + weight * at(all, i) * term;
  }
  for (let pivot = 0; pivot < count; pivot++) {
    const [row] = rows.slice(pivot).toSorted((a, b) => Math.abs(at(b, pivot)) - Math.abs(at(a, pivot)));
    if (row === undefined || at(row, pivot) === 0) throw new Error('The terms are not independent.');
    rows.splice(rows.indexOf(row), 1);
    rows.splice(pivot, 0, row);
    for (const other of rows) {
      if (other === row) continue;
      const factor = at(other, pivot) / at(row, pivot);
      for (let j = pivot; j <= count; j++) other[j] = at(other, j) - factor * at(row, j);
    }
  }
  return rows.map((row, index) => at(row, count) / at(row, index));
}

const at = (numbers: readonly number[], index: number) => numbers[index] as number;
