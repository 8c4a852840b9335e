import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Document, type Primitive } from '@gltf-transform/core';
import { addSheet } from '../../../testing/wavy-sheet.ts';
import { countSceneTriangles, findDefaultScene } from '../model-counts.ts';
import { quantize } from '../quantize/quantize.ts';
import { FIRST_LEVEL_TRIANGLES, simplifyToFirstLevel } from './simplify-to-first-level.ts';

const countTriangles = (document: Document) => countSceneTriangles(findDefaultScene(document));

describe('the first level of a model', () => {
  it('has at most 150,000 triangles, the same nodes, and vertices of the model', async () => {
    const document = new Document();
    addSheet(document, { side: 220, name: 'left' });
    addSheet(document, { side: 260, x: 1, name: 'right' });
    await quantize(document, { scene: 14, mesh: 11 });
    const before = describeNodes(document);
    const positions = listPrimitives(document).map(listPositions);
    assert.equal(await simplifyToFirstLevel(document), true);
    const triangles = countTriangles(document);
    assert.ok(triangles <= FIRST_LEVEL_TRIANGLES, `${triangles}`);
    assert.ok(triangles > 0.7 * FIRST_LEVEL_TRIANGLES, `${triangles}`);
    assert.deepEqual(describeNodes(document), before);
    for (const [index, primitive] of listPrimitives(document).entries()) {
      const remaining = listPositions(primitive);
      const own = positions[index] ?? new Set();
      assert.ok(remaining.size < own.size);
      assert.ok([...remaining].every((position) => own.has(position)));
    }
  });

  it('is not made of a model with up to a quarter more triangles', async () => {
    const document = new Document();
    addSheet(document, { side: 306 });
    await quantize(document, { scene: 14, mesh: 11 });
    assert.equal(await simplifyToFirstLevel(document), false);
    assert.equal(countTriangles(document), 187_272);
  });

  it('is not made of parts that cannot be simplified', async () => {
    const document = new Document();
    const { node } = addSheet(document, { side: 3, name: 'small' });
    const scene = findDefaultScene(document);
    const mesh = node.getMesh();
    for (let index = 1; index < 11_000; index++)
      scene?.addChild(document.createNode().setMesh(mesh).setTranslation([index, 0, 0]));
    assert.equal(await simplifyToFirstLevel(document), false);
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
