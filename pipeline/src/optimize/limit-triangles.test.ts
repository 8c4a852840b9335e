import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Accessor, Document, type Primitive } from '@gltf-transform/core';
import { EXTMeshGPUInstancing, type Transform } from '@gltf-transform/extensions';
import { cloneDocument } from '@gltf-transform/functions';
import { MeshoptSimplifier } from 'meshoptimizer';
import sharp from 'sharp';
import { makeFullFeaturedModel } from '../../testing/full-featured-model.ts';
import { addSheet } from '../../testing/wavy-sheet.ts';
import { limitTriangles, simplifyToLimit } from './limit-triangles.ts';
import { countPrimitiveTriangles, countSceneTriangles, findDefaultScene } from './model-counts.ts';
import { quantize } from './quantize/quantize.ts';
import { computeSceneBounds, computeSceneExtent } from './scene-bounds.ts';
import { simplifyMeshes } from './simplify-meshes.ts';
import { computeError, countPartTriangles, hasLostPieces } from './simplify-parts.ts';

const countTriangles = (document: Document) => countSceneTriangles(findDefaultScene(document));

/** A number for each vertex of a primitive on the line x = 1. */
function listBorder(primitive: Primitive): number[] {
  const position = primitive.getAttribute('POSITION');
  const points = Array.from({ length: position?.getCount() ?? 0 }, (_, index) =>
    position?.getElement<number[]>(index, []),
  );
  return points.flatMap((point) => (point?.[0] === 1 ? [point[2] as number] : [])).sort();
}

/** Adds a sheet whose texture coordinates differ from a plane by less than a pixel of the texture. */
async function addTexturedSheet(document: Document): Promise<void> {
  const { primitive } = addSheet(document, { side: 100 });
  const positions = primitive.getAttribute('POSITION')?.getArray() ?? [];
  const texCoords = new Float32Array((2 * positions.length) / 3);
  for (let vertex = 0; vertex < texCoords.length / 2; vertex++) {
    const noise = ((vertex * 7919) % 1000) / 1000 / 2048;
    texCoords.set(
      [positions[3 * vertex] ?? 0, (positions[3 * vertex + 2] ?? 0) + noise],
      2 * vertex,
    );
  }
  const [buffer] = document.getRoot().listBuffers();
  const accessor = document.createAccessor().setType('VEC2').setArray(texCoords);
  primitive.setAttribute('TEXCOORD_0', accessor.setBuffer(buffer ?? null));
  const create = { width: 2048, height: 2048, channels: 3, background: '#888' } as const;
  const image = new Uint8Array(await sharp({ create }).png().toBuffer());
  const texture = document.createTexture().setImage(image).setMimeType('image/png');
  primitive.setMaterial(document.createMaterial().setBaseColorTexture(texture));
}

/** Replaces the integers of quantized texture coordinates by the values that they stand for. */
function dequantizeTexCoords(document: Document): void {
  const primitive = document.getRoot().listMeshes()[0]?.listPrimitives()[0];
  const accessor = primitive?.getAttribute('TEXCOORD_0');
  const info = primitive?.getMaterial()?.getBaseColorTextureInfo();
  const scale = info?.getExtension<Transform>('KHR_texture_transform')?.getScale() ?? [1, 1];
  const integers = accessor?.getArray() ?? [];
  accessor?.setArray(
    Float32Array.from(integers, (value, index) => value * (scale[index % 2] as number)),
  );
}

function listVertices(document: Document): Set<string> {
  const primitive = document.getRoot().listMeshes()[0]?.listPrimitives()[0];
  const position = primitive?.getAttribute('POSITION');
  const count = position?.getCount() ?? 0;
  return new Set(Array.from({ length: count }, (_, at) => `${position?.getElement(at, [])}`));
}

describe('a triangle budget', () => {
  it('is never exceeded, and is used', async () => {
    for (const maxTriangles of [20_000, 7000, 1500, 400]) {
      const document = new Document();
      addSheet(document, { side: 60 });
      addSheet(document, { side: 100, x: 2 });
      await limitTriangles(document, maxTriangles);
      const triangles = countTriangles(document);
      assert.ok(triangles <= maxTriangles, `${triangles} of ${maxTriangles}`);
      assert.ok(triangles >= 0.75 * maxTriangles, `${triangles} of ${maxTriangles}`);
    }
  });

  it('of a single mesh is used up', async () => {
    const document = new Document();
    const { primitive } = addSheet(document, { side: 100 });
    await limitTriangles(document, 3000);
    assert.ok(Math.abs(countPrimitiveTriangles(primitive) - 2999) <= 1);
  });

  it('does not change a model within it', async () => {
    const document = new Document();
    const { primitive } = addSheet(document, { side: 60 });
    const indices = primitive.getIndices();
    await limitTriangles(document, 7200);
    assert.equal(primitive.getIndices(), indices);
  });

  it('counts each instance', async () => {
    const document = new Document();
    const { node } = addSheet(document, { side: 40 });
    const instances = document.createExtension(EXTMeshGPUInstancing).createInstancedMesh();
    const translations = Float32Array.from({ length: 30 }, (_, index) => index);
    instances.setAttribute(
      'TRANSLATION',
      document.createAccessor().setType('VEC3').setArray(translations),
    );
    node.setExtension('EXT_mesh_gpu_instancing', instances);
    assert.equal(countTriangles(document), 32_000);
    await limitTriangles(document, 8000);
    assert.ok(countTriangles(document) <= 8000);
    assert.ok(countTriangles(document) > 6000);
  });

  it('weighs quantized texture coordinates as those of the source', async () => {
    const document = new Document();
    await addTexturedSheet(document);
    await quantize(document, { scene: 14, mesh: 11 });
    const floats = cloneDocument(document);
    dequantizeTexCoords(floats);
    const [expected, actual] = await Promise.all(
      [floats, document].map(async (each) => {
        await limitTriangles(each, 3000);
        return listVertices(each);
      }),
    );
    const common = [...(actual ?? [])].filter((vertex) => expected?.has(vertex)).length;
    assert.ok(common > 0.9 * (expected?.size ?? 0), `${common} of ${expected?.size} vertices`);
  });

  it('takes the triangles of a flat part first, however many it has', async () => {
    const document = new Document();
    const flat = addSheet(document, { side: 100, height: 0 });
    const wavy = addSheet(document, { side: 50, x: 2 });
    await limitTriangles(document, 3000);
    assert.ok(countPrimitiveTriangles(flat.primitive) < 500);
    assert.ok(countPrimitiveTriangles(wavy.primitive) > 1900);
  });

  it('keeps the border between two parts, so that no gap opens', async () => {
    const document = new Document();
    const [left, right] = [
      addSheet(document, { side: 50 }),
      addSheet(document, { side: 50, x: 1 }),
    ];
    await limitTriangles(document, 3000);
    assert.ok(countTriangles(document) <= 3000);
    assert.equal(listBorder(left.primitive).length, 51);
    assert.deepEqual(listBorder(left.primitive), listBorder(right.primitive));
  });

  it('applies to two copies of a surface, which have all vertices in common', async (t) => {
    const document = new Document();
    addSheet(document, { side: 60 });
    const { primitive } = addSheet(document, { side: 60 });
    primitive.setMaterial(document.createMaterial('Lining'));
    const { simplifyWithAttributes } = MeshoptSimplifier;
    const errors: number[] = [];
    t.mock.method(MeshoptSimplifier, 'simplifyWithAttributes', ((...args) => {
      errors.push(args[8]);
      return simplifyWithAttributes(...args);
    }) satisfies typeof simplifyWithAttributes);
    await limitTriangles(document, 3000);
    assert.ok(countTriangles(document) <= 3000 && countTriangles(document) > 2200);
    assert.ok(Math.max(...errors) < 0.01, `${Math.max(...errors)}`);
  });

  it('knows how far the surface is from the original', async () => {
    const errors: number[] = [];
    for (const maxTriangles of [20_000, 3000, 1500]) {
      const document = new Document();
      addSheet(document, { side: 60, normals: true });
      // Sheets of so few triangles that none can be removed without their shape.
      for (let x = 2; x < 40; x++) addSheet(document, { side: 4, x, normals: true });
      const parts = await simplifyToLimit(document, maxTriangles);
      errors.push(computeError(parts) / computeSceneExtent(document));
    }
    const [none, few = 0, more = 0] = errors;
    assert.equal(none, 0);
    // The sheets are a fortieth of the scene.
    assert.ok(few > 0 && few < 1e-3 && few < more && more < 1 / 40, errors.join());
  });

  it('knows the error of sheets of which a triangle each remains, and that they have lost most of their area', async () => {
    const document = new Document();
    for (let y = 0; y < 0.4; y += 0.01)
      addSheet(document, { side: 6, height: 1, normals: true }).node.setTranslation([0, y, 0]);
    const parts = await simplifyToLimit(document, 100);
    assert.ok(countPartTriangles(parts) < 50);
    const error = computeError(parts) / computeSceneExtent(document);
    // The waves are as high as the sheet is wide.
    assert.ok(error > 0.05 && error < 0.5, `${error}`);
    assert.ok(parts.every(hasLostPieces));
  });

  it('keeps names, the bounding box, points and lines', async () => {
    const document = new Document();
    const { node } = addSheet(document, { side: 80, name: 'Terrain' });
    const shared = node.getMesh()?.listPrimitives()[0]?.getAttribute('POSITION') ?? null;
    const other = [1, 0].map((mode) =>
      document
        .createPrimitive()
        .setAttribute('POSITION', shared)
        .setMode(mode as 0 | 1),
    );
    for (const primitive of other) node.getMesh()?.addPrimitive(primitive);
    const bounds = computeSceneBounds(document);
    await limitTriangles(document, 1000);
    assert.ok(countTriangles(document) <= 1000);
    assert.equal(node.getName(), 'Terrain');
    assert.deepEqual(computeSceneBounds(document), bounds);
    for (const primitive of other) {
      assert.equal(primitive.getAttribute('POSITION')?.getCount(), 81 ** 2);
    }
  });

  it('applies to quantized positions', async () => {
    const document = new Document();
    const { primitive } = addSheet(document, { side: 60 });
    await quantize(document, { scene: 14, mesh: 11 });
    const componentType = primitive.getAttribute('POSITION')?.getComponentType();
    assert.equal(componentType, Accessor.ComponentType.UNSIGNED_SHORT);
    await limitTriangles(document, 2000);
    assert.ok(countTriangles(document) <= 2000);
    assert.equal(primitive.getAttribute('POSITION')?.getComponentType(), componentType);
  });

  it('applies to skinned and morphed meshes, and keeps their targets and weights', async () => {
    const document = await makeFullFeaturedModel();
    const { node, primitive } = addSheet(document, { side: 60 });
    const position = primitive.getAttribute('POSITION');
    const count = position?.getCount() ?? 0;
    primitive.addTarget(
      document.createPrimitiveTarget().setAttribute('POSITION', position?.clone() ?? null),
    );
    const toAccessor = (array: Uint8Array<ArrayBuffer>) =>
      document.createAccessor().setType('VEC4').setArray(array);
    const weights = Uint8Array.from({ length: 4 * count }, (_, index) => (index % 4 ? 0 : 255));
    primitive.setAttribute('JOINTS_0', toAccessor(new Uint8Array(4 * count)));
    primitive.setAttribute('WEIGHTS_0', toAccessor(weights).setNormalized(true));
    node.setSkin(document.getRoot().listSkins()[0] ?? null);
    await limitTriangles(document, 2000);
    assert.ok(countTriangles(document) <= 2000);
    const remaining = primitive.getAttribute('POSITION')?.getCount() ?? 0;
    assert.ok(remaining < 1200);
    for (const attribute of ['JOINTS_0', 'WEIGHTS_0'])
      assert.equal(primitive.getAttribute(attribute)?.getCount(), remaining);
    assert.equal(primitive.listTargets()[0]?.getAttribute('POSITION')?.getCount(), remaining);
  });

  it('takes linear time: meshoptimizer gets few times as many triangles as the model has', async (t) => {
    const { simplifyWithAttributes } = MeshoptSimplifier;
    let triangles = 0;
    t.mock.method(MeshoptSimplifier, 'simplifyWithAttributes', ((...args) => {
      triangles += args[0].length / 3;
      return simplifyWithAttributes(...args);
    }) satisfies typeof simplifyWithAttributes);
    for (const side of [50, 100, 200]) {
      const document = new Document();
      addSheet(document, { side });
      addSheet(document, { side, x: 1 });
      triangles = 0;
      await limitTriangles(document, 1000);
      assert.ok(countTriangles(document) <= 1000);
      assert.ok(triangles <= 5 * 4 * side ** 2, `${triangles} for ${4 * side ** 2}`);
    }
  });
});

describe('the warning about a triangle budget', () => {
  it('has the numbers of triangles before and after, and the limit', async () => {
    const document = new Document();
    addSheet(document, { side: 40 });
    addSheet(document, { side: 40, x: 2 });
    const warnings = await simplifyMeshes(document, 2000);
    const after = countTriangles(document).toLocaleString('en-US');
    assert.deepEqual(warnings, [
      {
        code: 'geometry.simplified',
        message: `6,400 triangles were reduced to ${after}. The limit is 2,000: maxTriangles of the design or, if it has none, CLOCHE_MAX_TRIANGLES.`,
      },
    ]);
    assert.deepEqual(await simplifyMeshes(document, 2000), []);
  });

  it('says so if parts with few triangles cannot be simplified to it', async () => {
    const document = new Document();
    for (let x = 0; x < 100; x++) addSheet(document, { side: 3, x: 2 * x });
    const warnings = await simplifyMeshes(document, 1000);
    assert.deepEqual(warnings, [
      {
        code: 'geometry.over-limit',
        message:
          'The design has 1,800 triangles. The limit is 1,000: maxTriangles of the design or, if it has none, CLOCHE_MAX_TRIANGLES. Its parts cannot be simplified more: remove or merge small ones.',
      },
    ]);
  });
});
