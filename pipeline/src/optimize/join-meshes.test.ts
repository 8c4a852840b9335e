import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BoundingBox } from '@cloche/contract/viewer-config';
import { Document, type Mesh } from '@gltf-transform/core';
import { addSheet } from '../../testing/wavy-sheet.ts';
import { joinMeshes } from './join-meshes.ts';
import { countDrawCalls, findDefaultScene } from './model-counts.ts';
import { createStaticCopy } from './preview/static-copy.ts';
import { computeSceneBounds } from './scene-bounds.ts';

/** Adds many sheets in a row, with one material. */
function addSheets(document: Document, count: number): void {
  for (let x = 0; x < count; x++) addSheet(document, { side: 2, x: 2 * x });
}

describe('joined meshes', () => {
  it('have no primitive in common, also if a mesh is used several times', async () => {
    const document = new Document();
    const [grey, red] = [document.createMaterial('grey'), document.createMaterial('red')];
    const [first, second, third] = [0, 2, 4].map((x) => addSheet(document, { side: 2, x }));
    const mesh = first?.node.setName('first').getMesh() as Mesh;
    first?.primitive.setMaterial(grey);
    for (const [sheet, material] of [
      [second, grey],
      [third, red],
    ] as const) {
      if (!sheet) continue;
      mesh.addPrimitive(sheet.primitive.setMaterial(material));
      sheet.node.setMesh(null);
    }
    findDefaultScene(document)?.addChild(
      document.createNode('second').setMesh(mesh).setTranslation([0, 5, 0]),
    );
    const before = computeSceneBounds(document);
    await joinMeshes(document, { keepNamed: true });
    for (const each of document.getRoot().listMeshes())
      for (const primitive of each.listPrimitives()) {
        const owners = primitive.listParents().filter((parent) => parent.propertyType === 'Mesh');
        assert.equal(owners.length, 1);
      }
    const round = (box: BoundingBox | undefined) =>
      box && [...box.min, ...box.max].map((value) => value.toFixed(5));
    assert.deepEqual(round(computeSceneBounds(document)), round(before));
  });

  it('may include one that a scale of 0 hides, at the start of an animation', async () => {
    for (const scale of [
      [0, 0, 0],
      [1, 0, 1],
    ] as const) {
      const document = new Document();
      addSheets(document, 60);
      const [hidden] = document.getRoot().listNodes();
      hidden?.setScale([...scale]);
      const copy = await createStaticCopy(document);
      assert.ok(countDrawCalls(findDefaultScene(copy)) < 5);
      const { min, max } = computeSceneBounds(copy) ?? assert.fail('the scene is empty');
      for (const value of [...min, ...max]) assert.ok(Number.isFinite(value));
      assert.ok(Math.abs(max[0] - 119) < 1e-3, `${max[0]}`);
    }
  });
});
