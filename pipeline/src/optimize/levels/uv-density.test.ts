import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Document, Material, Primitive, Texture } from '@gltf-transform/core';
import { KHRTextureTransform } from '@gltf-transform/extensions';
import { createTestDocument } from '../../../testing/full-featured-model.ts';
import { measureUvDensity } from './uv-density.ts';

describe('the density of texture coordinates', () => {
  it('is their length on a meter, with the scale of the node', () => {
    const { document, texture, material } = createDocument();
    addSquare(document, material, { side: 2, scale: 5 });
    assertClose(measure(document, texture), 0.1);
  });

  it('includes the transform of the texture', () => {
    const { document, texture, material } = createDocument();
    const transform = document.createExtension(KHRTextureTransform).createTransform();
    material
      .getBaseColorTextureInfo()
      ?.setExtension('KHR_texture_transform', transform.setScale([3, 3]));
    addSquare(document, material, { side: 1 });
    assertClose(measure(document, texture), 3);
  });

  it('is that of the most stretched surface, except for the smallest parts', () => {
    const { document, texture, material } = createDocument();
    addSquare(document, material, { side: 2 });
    addSquare(document, material, { side: 4 });
    addSquare(document, material, { side: 0.1, uv: 0.001 });
    assertClose(measure(document, texture), 0.25);
  });

  it('is unknown without texture coordinates, area, triangles, or these textures', () => {
    const cases: ((document: Document, material: Material) => void)[] = [
      () => undefined,
      (document) => addSquare(document, document.createMaterial(), { side: 1 }),
      (document, material) => addSquare(document, material, { side: 0 }),
      (document, material) => addSquare(document, material, { side: 1, uv: 0 }),
      (document, material) => addSquare(document, material, { side: 1 }).setMode(1),
      (document, material) =>
        addSquare(document, material, { side: 1 }).setAttribute('TEXCOORD_0', null),
    ];
    for (const add of cases) {
      const { document, texture, material } = createDocument();
      add(document, material);
      assert.equal(measure(document, texture), undefined, String(add));
    }
  });
});

function createDocument() {
  const document = createTestDocument();
  const texture = document.createTexture();
  return { document, texture, material: document.createMaterial().setBaseColorTexture(texture) };
}

const measure = (document: Document, texture: Texture) =>
  measureUvDensity(document, new Set([texture]));

function assertClose(actual: number | undefined, expected: number): void {
  assert.ok(Math.abs((actual ?? 0) / expected - 1) < 1e-4, `${actual}, not ${expected}`);
}

/** Adds a square of two triangles. `uv` is the length of the texture coordinates on a side. */
function addSquare(
  document: Document,
  material: Material,
  { side, uv = 1, scale = 1 }: { side: number; uv?: number; scale?: number },
): Primitive {
  const buffer = document.getRoot().listBuffers()[0] ?? null;
  const corners = [0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1];
  const points = Array.from({ length: 6 }, (_, index) => [
    (corners[index * 2] ?? 0) * side,
    0,
    (corners[index * 2 + 1] ?? 0) * side,
  ]).flat();
  const accessor = (type: 'VEC2' | 'VEC3', values: number[]) =>
    document.createAccessor().setType(type).setBuffer(buffer).setArray(new Float32Array(values));
  const primitive = document
    .createPrimitive()
    .setMaterial(material)
    .setAttribute('POSITION', accessor('VEC3', points))
    .setAttribute(
      'TEXCOORD_0',
      accessor(
        'VEC2',
        corners.map((value) => value * uv),
      ),
    );
  const node = document
    .createNode()
    .setScale([scale, scale, scale])
    .setMesh(document.createMesh().addPrimitive(primitive));
  document.getRoot().getDefaultScene()?.addChild(node);
  return primitive;
}
