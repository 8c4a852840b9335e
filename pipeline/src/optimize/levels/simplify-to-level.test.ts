import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Document, type Primitive } from '@gltf-transform/core';
import { addSheet } from '../../../testing/wavy-sheet.ts';
import { countSceneTriangles, findDefaultScene } from '../model-counts.ts';
import { quantize } from '../quantize/quantize.ts';
import { GEOMETRY_LEVELS, type GeometryLevel, simplifyToLevel } from './simplify-to-level.ts';

const countTriangles = (document: Document) => countSceneTriangles(findDefaultScene(document));

const { first, small } = GEOMETRY_LEVELS;

describe('a level of a model', () => {
  for (const [name, level] of Object.entries(GEOMETRY_LEVELS)) {
    it(`${name}: has the same nodes, and vertices of the model`, () => testLevel(level));
  }

  async function testLevel(level: GeometryLevel) {
    const document = new Document();
    addSheet(document, { side: 220, name: 'left' });
    addSheet(document, { side: 260, x: 1, name: 'right' });
    await quantize(document, { scene: 14, mesh: 11 });
    const before = describeNodes(document);
    const positions = listPrimitives(document).map(listPositions);
    assert.equal(await simplifyToLevel(document, level), true);
    const triangles = countTriangles(document);
    assert.ok(triangles <= level.maxTriangles, `${triangles}`);
    assert.ok(triangles > 0.7 * level.maxTriangles, `${triangles}`);
    assert.deepEqual(describeNodes(document), before);
    for (const [index, primitive] of listPrimitives(document).entries()) {
      const remaining = listPositions(primitive);
      const own = positions[index] ?? new Set();
      assert.ok(remaining.size < own.size);
      assert.ok([...remaining].every((position) => own.has(position)));
    }
  }

  it('is not made of a model with a few triangles more', async () => {
    for (const [level, side] of [
      [first, 306],
      [small, 193],
    ] as const) {
      const document = new Document();
      addSheet(document, { side });
      await quantize(document, { scene: 14, mesh: 11 });
      assert.equal(await simplifyToLevel(document, level), false);
      assert.equal(countTriangles(document), 2 * side ** 2);
    }
  });

  it('is not made of parts that cannot be simplified', async () => {
    const document = new Document();
    const { node } = addSheet(document, { side: 3, name: 'small' });
    const scene = findDefaultScene(document);
    const mesh = node.getMesh();
    for (let index = 1; index < 11_000; index++)
      scene?.addChild(document.createNode().setMesh(mesh).setTranslation([index, 0, 0]));
    for (const level of [first, small]) assert.equal(await simplifyToLevel(document, level), false);
    assert.equal(countTriangles(document), 198_000);
  });
});

function listPrimitives(document: Document): Primitive[] {
  return document
    .getRoot()
    .listMeshes()
    .flatMap((mesh) => mesh.listPrimitives());
}

/** What must be the same in all geometries of a model. */
function describeNodes(document: Document) {
  return document
    .getRoot()
    .listNodes()
    .map((node) => ({
      name: node.getName(),
      matrix: node.getWorldMatrix(),
      attributes: node
        .getMesh()
        ?.listPrimitives()
        .map((each) => each.listSemantics()),
    }));
}

function listPositions(primitive: Primitive): Set<string> {
  const position = primitive.getAttribute('POSITION');
  const count = position?.getCount() ?? 0;
  return new Set(Array.from({ length: count }, (_, at) => `${position?.getElement(at, [])}`));
}
