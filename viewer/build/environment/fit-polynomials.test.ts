import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import {
  radianceExpression,
  radianceTerms,
  reflectanceExpression,
  reflectanceOf,
  reflectanceTerms,
} from '../../src/renderer/polynomials.ts';
import { fitPolynomials, readReflectance } from './fit-polynomials.ts';
import { solveLeastSquares } from './least-squares.ts';
import { eachTexel, prefilterEnvironment } from './prefilter.ts';

const levels = prefilterEnvironment();
const polynomials = fitPolynomials(levels);

const sumUp = (terms: readonly number[], coefficients: readonly number[]) =>
  terms.reduce((sum, term, index) => sum + term * (coefficients[index] as number), 0);

function getLargest(errors: readonly number[]): number {
  return Math.max(...errors.map(Math.abs));
}

describe('the polynomials for rough surfaces', () => {
  it('are those of the last two levels of the environment map', () => {
    assert.equal(polynomials.minRoughness, 0.5);
    assert.equal(polynomials.lastLevel, levels.length - 1);
  });

  // The mean radiance is 1, and a dielectric reflects 4 to 20 % of it. Of the irradiance, it reflects its color.
  for (const [name, level, tolerance] of [
    ['radiance', levels.at(-2), 0.15],
    ['irradiance', levels.at(-1), 0.013],
  ] as const)
    it(`show the ${name} of the environment map`, () => {
      assert.ok(level !== undefined);
      const errors = [...eachTexel(level.size)].map(
        ({ direction }, index) =>
          sumUp(radianceTerms(direction), polynomials[name]) - (level.texels[index] as number),
      );
      assert.ok(getLargest(errors) < tolerance, `${getLargest(errors)}`);
      assert.ok(Math.max(...level.texels) > 2, 'there is something to show');
    });

  it('have the reflectance of the table of three.js', () => {
    const samples = readReflectance().filter(({ roughness }) => roughness >= 0.5);
    assert.equal(samples.length, 8 * 16);
    const errors = samples.map(
      ({ roughness, cosine, once }) =>
        sumUp(reflectanceTerms(cosine, roughness), polynomials.reflectance) - once,
    );
    assert.ok(getLargest(errors) < 0.005, `${getLargest(errors)}`);
    const differences = samples.map(({ several }) => several - polynomials.multipleReflectance);
    assert.ok(getLargest(differences) < 0.001, `${getLargest(differences)}`);
  });
});

describe('their expressions', () => {
  it('sum up the terms', () => {
    const [x, y, z] = [0.48, -0.6, 0.64];
    const terms = radianceTerms([x, y, z]);
    const coefficients = terms.map((_, index) => 1 + index);
    const shown = runInNewContext(radianceExpression(coefficients.map(String)), { d: { x, y, z } });
    assert.ok(Math.abs(shown - sumUp(terms, coefficients)) < 1e-9);
  });

  it('have the reflectance of one roughness', () => {
    const coefficients = reflectanceTerms(0.3, 0.7).map((_, index) => 1 + index);
    const c = reflectanceOf(0.7, coefficients);
    const shown = runInNewContext(reflectanceExpression('c'), { c, cosine: 0.3 });
    assert.ok(Math.abs(shown - sumUp(reflectanceTerms(0.3, 0.7), coefficients)) < 1e-9);
  });
});

it('least squares: the line through points that are not on a line', () => {
  const points = [
    [0, 1, 1],
    [1, 2, 1],
    [2, 2, 1],
    [9, 9, 0],
  ] as const;
  const equations = points.map(([x, value, weight]) => ({ terms: [1, x], value, weight }));
  const [offset, slope] = solveLeastSquares(equations) as [number, number];
  assert.ok(Math.abs(offset - 7 / 6) < 1e-12 && Math.abs(slope - 1 / 2) < 1e-12);
});
