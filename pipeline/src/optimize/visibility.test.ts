import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Document, type Material } from '@gltf-transform/core';
import sharp from 'sharp';
import { hasOneColor } from '../poster/capture-poster.ts';
import { optimize } from './optimize.ts';

function makeTriangle(positions = [0, 0, 0, 1, 0, 0, 0, 1, 0], mode: 0 | 4 = 4) {
  const document = new Document();
  const buffer = document.createBuffer();
  const position = document.createAccessor().setType('VEC3').setBuffer(buffer);
  position.setArray(Float32Array.from(positions));
  const material = document.createMaterial('Glass');
  const primitive = document
    .createPrimitive()
    .setMode(mode)
    .setAttribute('POSITION', position)
    .setMaterial(material);
  const node = document.createNode().setMesh(document.createMesh().addPrimitive(primitive));
  document.createScene().addChild(node);
  return { document, material, node };
}

async function makeTexture(document: Document, alpha: number) {
  const background = { r: 200, g: 100, b: 50, alpha };
  const create = { width: 4, height: 4, channels: 4, background } as const;
  const image = await sharp({ create }).png().toBuffer();
  return document.createTexture().setImage(new Uint8Array(image)).setMimeType('image/png');
}

describe('a material that would be invisible is made opaque, with a warning', () => {
  const cases: [string, (material: Material, document: Document) => unknown, boolean][] = [
    ['blended, alpha 0', (material) => material.setAlphaMode('BLEND').setAlpha(0), true],
    [
      'cut out, alpha below the cutoff',
      (material) => material.setAlphaMode('MASK').setAlpha(0.3),
      true,
    ],
    [
      'blended, a texture with alpha 0',
      async (material, document) =>
        material.setAlphaMode('BLEND').setBaseColorTexture(await makeTexture(document, 0)),
      true,
    ],
    ['blended, alpha 0.2', (material) => material.setAlphaMode('BLEND').setAlpha(0.2), false],
    ['opaque, alpha 0', (material) => material.setAlpha(0), false],
    [
      'blended, a texture with alpha 0.5',
      async (material, document) =>
        material.setAlphaMode('BLEND').setBaseColorTexture(await makeTexture(document, 0.5)),
      false,
    ],
  ];
  for (const [name, change, isInvisible] of cases) {
    it(`${name}: ${isInvisible ? 'made opaque' : 'not changed'}`, async () => {
      const { document, material } = makeTriangle();
      await change(material, document);
      const mode = material.getAlphaMode();
      const { warnings } = await optimize(document, {}, () => {});
      const codes = warnings.map(({ code }) => code);
      assert.deepEqual(codes, isInvisible ? ['material.invisible'] : []);
      assert.equal(material.getAlphaMode(), isInvisible ? 'OPAQUE' : mode);
      if (isInvisible)
        assert.match(warnings[0]?.message ?? '', /"Glass" was completely transparent/);
    });
  }
});

describe('a model in which nothing is visible is refused', () => {
  const skeleton = () => {
    const { document, node } = makeTriangle();
    node.setMesh(null);
    node.addChild(document.createNode('Bone').addChild(document.createNode('Bone 2')));
    return document;
  };
  const cases: [string, Document, RegExp][] = [
    ['only bones', skeleton(), /only bones, empty nodes, cameras or lights/],
    [
      'triangles at one point',
      makeTriangle(new Array(9).fill(1)).document,
      /no triangles with an area/,
    ],
    ['an empty document', new Document(), /no visible surface/],
  ];
  for (const [name, document, message] of cases) {
    it(name, async () => {
      await assert.rejects(
        optimize(document, {}, () => {}),
        (error: Error & { code?: string }) =>
          error.code === 'design.unreadable' && message.test(error.message),
      );
    });
  }

  it('but points are visible', async () => {
    const { model } = await optimize(makeTriangle([0, 0, 0], 0).document, {}, () => {});
    assert.ok(model.length > 0);
  });
});

it('a poster has one color if no pixel differs, or if all are transparent', () => {
  assert.ok(hasOneColor(Uint8Array.of(9, 9, 9, 255, 10, 9, 8, 255)));
  assert.ok(hasOneColor(Uint8Array.of(200, 9, 9, 0, 10, 90, 8, 0)));
  assert.ok(!hasOneColor(Uint8Array.of(9, 9, 9, 255, 50, 9, 9, 255)));
  assert.ok(!hasOneColor(Uint8Array.of(9, 9, 9, 255, 9, 9, 9, 0)));
});
