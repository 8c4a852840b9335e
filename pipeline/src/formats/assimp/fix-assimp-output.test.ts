import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Document } from '@gltf-transform/core';
import { addSheet } from '../../../testing/wavy-sheet.ts';
import { fixAssimpOutput } from './fix-assimp-output.ts';

/** A triangle sheet with sRGB vertex colors, with or without normals. */
function makeColoredSheet(hasNormals: boolean): Document {
  const document = new Document();
  const { primitive } = addSheet(document, { side: 1 });
  const [buffer] = document.getRoot().listBuffers();
  const toAccessor = (type: 'VEC3' | 'VEC4', values: number[]) =>
    document
      .createAccessor()
      .setType(type)
      .setArray(Float32Array.from([values, values, values, values].flat()))
      .setBuffer(buffer ?? null);
  primitive.setAttribute('COLOR_0', toAccessor('VEC4', [0.5, 1, 0, 0.5]));
  if (hasNormals) primitive.setAttribute('NORMAL', toAccessor('VEC3', [0, 1, 0]));
  primitive.setMaterial(document.createMaterial());
  return document;
}

for (const hasNormals of [false, true]) {
  it(`vertex colors ${hasNormals ? 'with' : 'without'} normals are linear, and both sides are visible`, async () => {
    const document = makeColoredSheet(hasNormals);
    await fixAssimpOutput(document);
    const [primitive] = document.getRoot().listMeshes()[0]?.listPrimitives() ?? [];
    const [red = 0, green, blue, alpha = 0] =
      primitive?.getAttribute('COLOR_0')?.getElement<number[]>(0, []) ?? [];
    assert.ok(Math.abs(red - 0.214) < 0.001, `${red}`);
    assert.deepEqual([green, blue], [1, 0]);
    assert.ok(Math.abs(alpha - 0.5) < 0.001, `${alpha}`);
    assert.equal(primitive?.getMaterial()?.getDoubleSided(), true);
  });
}
