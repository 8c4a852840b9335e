import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Document, Material, Primitive, Texture } from '@gltf-transform/core';
import {
  EXTMeshGPUInstancing,
  KHRMaterialsVariants,
  KHRTextureTransform,
} from '@gltf-transform/extensions';
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

  it('is measured for each texture', () => {
    const { document, texture, material } = createDocument();
    addSquare(document, material, { side: 2 });
    const [dense, unused] = [document.createTexture(), document.createTexture()];
    const secondMaterial = document
      .createMaterial()
      .setBaseColorTexture(texture)
      .setEmissiveTexture(dense);
    addSquare(document, secondMaterial, { side: 0.5 });
    const density = measureUvDensity(document, new Set([texture, dense, unused]));
    assertClose(density?.uvPerMeter, 0.5);
    assertClose(density?.uvPerMeterOfTextures.get(texture), 0.5);
    assertClose(density?.uvPerMeterOfTextures.get(dense), 2);
    assert.equal(density?.uvPerMeterOfTextures.has(unused), false);
  });

  it('of a texture is that of its own coordinates', () => {
    const { document, texture, material } = createDocument();
    const other = document.createTexture();
    material.setEmissiveTexture(other).getEmissiveTextureInfo()?.setTexCoord(1);
    const square = addSquare(document, material, { side: 1 });
    const uvs = square.getAttribute('TEXCOORD_0');
    const array = uvs?.getArray()?.map((value) => 3 * value) ?? null;
    square.setAttribute('TEXCOORD_1', uvs?.clone().setArray(array) ?? null);
    const density = measureUvDensity(document, new Set([texture, other]));
    assertClose(density?.uvPerMeterOfTextures.get(texture), 1);
    assertClose(density?.uvPerMeterOfTextures.get(other), 3);
  });

  it('is that of the sparsest texture of a surface', () => {
    const { document, texture, material } = createDocument();
    const tiles = document.createTexture();
    const transform = document.createExtension(KHRTextureTransform).createTransform();
    material
      .setEmissiveTexture(tiles)
      .getEmissiveTextureInfo()
      ?.setExtension('KHR_texture_transform', transform.setScale([9, 9]));
    addSquare(document, material, { side: 1 });
    for (const textures of [
      [texture, tiles],
      [tiles, texture],
    ])
      assertClose(measureUvDensity(document, new Set(textures))?.uvPerMeter, 1);
  });

  it('includes the scales of instances', () => {
    const { document, texture, material } = createDocument();
    addSquare(document, material, { side: 1 });
    const [node] = document
      .getRoot()
      .listNodes()
      .filter((each) => each.getMesh());
    const buffer = document.getRoot().listBuffers()[0] ?? null;
    const scales = Float32Array.from({ length: 3 * 2500 }, () => 4);
    const accessor = document.createAccessor().setType('VEC3').setBuffer(buffer).setArray(scales);
    const instancing = document.createExtension(EXTMeshGPUInstancing).createInstancedMesh();
    node?.setExtension('EXT_mesh_gpu_instancing', instancing.setAttribute('SCALE', accessor));
    assertClose(measure(document, texture), 0.25);
  });

  it('includes the materials of variants', () => {
    const { document, texture, material } = createDocument();
    addSquare(document, material, { side: 0.5 });
    const square = addSquare(document, document.createMaterial(), { side: 3 });
    const extension = document.createExtension(KHRMaterialsVariants);
    const mapping = extension
      .createMapping()
      .setMaterial(material)
      .addVariant(extension.createVariant('other'));
    square.setExtension(
      'KHR_materials_variants',
      extension.createMappingList().addMapping(mapping),
    );
    assertClose(measure(document, texture), 1 / 3);
  });

  it('of a skinned mesh follows its bones, not its node', () => {
    const { document, texture, material } = createDocument();
    const square = addSquare(document, material, { side: 1, scale: 100 });
    const bone = document.createNode().setScale([2, 2, 2]);
    document.getRoot().getDefaultScene()?.addChild(bone);
    const buffer = document.getRoot().listBuffers()[0] ?? null;
    const toVertices = (array: Uint8Array<ArrayBuffer> | Float32Array<ArrayBuffer>) =>
      document.createAccessor().setType('VEC4').setBuffer(buffer).setArray(array);
    const weights = Float32Array.from({ length: 24 }, (_, index) => (index % 4 === 0 ? 1 : 0));
    square
      .setAttribute('JOINTS_0', toVertices(new Uint8Array(24)))
      .setAttribute('WEIGHTS_0', toVertices(weights));
    const node = document
      .getRoot()
      .listNodes()
      .find((each) => each.getMesh());
    node?.setSkin(document.createSkin().addJoint(bone));
    assertClose(measure(document, texture), 0.5);
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
  measureUvDensity(document, new Set([texture]))?.uvPerMeter;

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
