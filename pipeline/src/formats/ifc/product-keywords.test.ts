import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PRODUCT_KEYWORDS } from './product-keywords.ts';

/** The classes of a schema that are products, in capital letters. */
function listProducts(schema: string): string[] {
  const parents = new Map<string, string>();
  for (const [, name = '', parent = ''] of schema.matchAll(/class (Ifc\w+) extends (Ifc\w+)/g))
    parents.set(name, parent);
  const isProduct = (name: string | undefined): boolean =>
    name !== undefined && (name === 'IfcProduct' || isProduct(parents.get(name)));
  return [...parents.keys()]
    .filter((name) => isProduct(parents.get(name)))
    .map((name) => name.toUpperCase());
}

it('lists the products of all schemas that the library reads', () => {
  const library = dirname(fileURLToPath(import.meta.resolve('web-ifc')));
  const types = readFileSync(join(library, 'ifc-schema.d.ts'), 'utf8');
  const schemas = types.split(/declare namespace IFC/).slice(1);
  assert.equal(schemas.length, 3);
  assert.deepEqual(
    [...new Set(schemas.flatMap(listProducts))].sort(),
    [...PRODUCT_KEYWORDS].sort(),
  );
});
