/** One equation of an overdetermined system: the sum of the terms, each with its coefficient, should be the value. */
export type Equation = { terms: readonly number[]; value: number; weight: number };

/** Returns the coefficients with the smallest sum of squared errors. The terms must be independent. */
export function solveLeastSquares(equations: readonly Equation[]): number[] {
  const rows = toNormalEquations(equations);
  // Gauss-Jordan elimination. The matrix is positive definite, so no pivot is zero.
  for (const [index, row] of rows.entries())
    for (const other of rows)
      if (other !== row) subtract(other, row, at(other, index) / at(row, index));
  return rows.map((row, index) => at(row, rows.length) / at(row, index));
}

/** Returns one row for each coefficient, with its value at the end. */
function toNormalEquations(equations: readonly Equation[]): number[][] {
  const count = equations[0]?.terms.length ?? 0;
  const rows = Array.from({ length: count }, () => new Array<number>(count + 1).fill(0));
  for (const { terms, value, weight } of equations)
    for (const [index, row] of rows.entries())
      subtract(row, [...terms, value], -weight * at(terms, index));
  return rows;
}

/** Subtracts a multiple of a row from another one. */
function subtract(from: number[], row: readonly number[], factor: number): void {
  for (const [index, value] of row.entries()) from[index] = at(from, index) - factor * value;
}

const at = (numbers: readonly number[], index: number) => numbers[index] as number;
