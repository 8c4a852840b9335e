/** The polynomials of rough-material-shader.ts. viewer/build/environment/fit-polynomials.ts computes their coefficients. */

/** The degree of the radiance, a polynomial of the direction. */
const RADIANCE_DEGREE = 5;
/** The degrees of the reflectance, a polynomial of the cosine between normal and view, and of the roughness. */
const COSINE_DEGREE = 4;
const ROUGHNESS_DEGREE = 3;

/** The number of coefficients of the reflectance of one roughness. */
export const REFLECTANCE_LENGTH = COSINE_DEGREE + 1;

/**
 * Returns the terms of the radiance from a direction: x^i · y^j · z^k with i + j + k up to the degree. For a unit vector, z² is 1 - x² - y², so k is
 * 0 or 1. They express what spherical harmonics up to that degree do, with fewer operations.
 */
export function radianceTerms([x, y, z]: readonly [number, number, number]): number[] {
  const terms: number[] = [];
  for (let k = 0; k <= 1; k++)
    for (let j = 0; j <= RADIANCE_DEGREE - k; j++)
      for (let i = 0; i <= RADIANCE_DEGREE - k - j; i++) terms.push(x ** i * y ** j * z ** k);
  return terms;
}

/** Returns a GLSL expression: the radiance from the direction `d`, a vec3. `coefficients` are GLSL, in the order of the terms. */
export function radianceExpression(coefficients: readonly string[]): string {
  let start = 0;
  const [withoutZ, withZ] = [0, 1].map((k) => {
    const ofX: string[] = [];
    for (let count = RADIANCE_DEGREE - k + 1; count > 0; count--) {
      ofX.push(nest(coefficients.slice(start, start + count), 'd.x'));
      start += count;
    }
    return nest(ofX, 'd.y');
  });
  return `${withoutZ}+d.z*${withZ}`;
}

/** Returns the terms of the reflectance: cosine^i · roughness^j. */
export function reflectanceTerms(cosine: number, roughness: number): number[] {
  const terms: number[] = [];
  for (let i = 0; i <= COSINE_DEGREE; i++)
    for (let j = 0; j <= ROUGHNESS_DEGREE; j++) terms.push(cosine ** i * roughness ** j);
  return terms;
}

/** Returns the coefficients of the reflectance of one roughness, a polynomial of the cosine. */
export function reflectanceOf(roughness: number, coefficients: readonly number[]): number[] {
  const result = new Array<number>(REFLECTANCE_LENGTH).fill(0);
  for (const [index, term] of reflectanceTerms(1, roughness).entries()) {
    const power = Math.floor(index / (ROUGHNESS_DEGREE + 1));
    result[power] = (result[power] as number) + term * (coefficients[index] as number);
  }
  return result;
}

/** Returns a GLSL expression: a polynomial of the variable `cosine`, with the coefficients in an array. */
export function reflectanceExpression(array: string): string {
  const coefficients = Array.from(
    { length: REFLECTANCE_LENGTH },
    (_, index) => `${array}[${index}]`,
  );
  return nest(coefficients, 'cosine');
}

/** Returns `(c0+x*(c1+x*c2))`. */
function nest(coefficients: readonly string[], variable: string): string {
  return coefficients.reduceRight((inner, outer) => `(${outer}+${variable}*${inner})`);
}
