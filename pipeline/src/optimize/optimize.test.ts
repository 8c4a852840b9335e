import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { BoundingBox } from '@cloche/contract/viewer-config';
import { Document, type Node } from '@gltf-transform/core';
import type { Variant } from '@gltf-transform/extensions';
// @ts-expect-error: the package has no types
import validator from 'gltf-validator';
import sharp from 'sharp';
import {
  addExtensionMaterials,
  addMeshNode,
  createSheetMesh,
  createTestDocument,
  MATERIAL_EXTENSION_SAMPLES,
  makeFullFeaturedModel,
} from '../../testing/full-featured-model.ts';
import { makeBox, makeGridGlb } from '../../testing/models.ts';
import { disableLogging, makeTexturedDocument, runOptimize } from '../../testing/run-optimize.ts';
import { addSheet } from '../../testing/wavy-sheet.ts';
import { createGltfIo } from '../formats/gltf/gltf-io.ts';
import { validateGlb } from '../formats/gltf/validate.ts';
import { createBufferReader } from '../validation/byte-reader.ts';
import { GEOMETRY_LEVELS } from './levels/simplify-to-level.ts';
import { computeModelCounts } from './model-counts.ts';
import { optimize } from './optimize.ts';
import { computeSceneBounds } from './scene-bounds.ts';

describe('optimize', () => {
  it('keeps every feature that a design can have', async () => {
    const before = await makeFullFeaturedModel();
    const bounds = getSceneBounds(before);
    const { after, model } = await runOptimize(before);
    const root = after.getRoot();

    assert.equal(await countErrors(model), 0);
    assert.deepEqual(round(getSceneBounds(after)), round(bounds));
    assert.deepEqual(listNames(root.listAnimations()), ['Swinging']);
    assert.equal(root.listAnimations()[0]?.listChannels()[0]?.getTargetNode()?.getName(), 'Swing');
    assert.deepEqual(listNames(root.listSkins()[0]?.listJoints() ?? []), ['Hip', 'Knee']);
    assert.deepEqual(listNames(root.listCameras()), ['Eye']);
    const bent = getMesh(findNode(after, 'Bent'));
    assert.equal(bent?.listPrimitives()[0]?.listTargets().length, 1);
    assert.deepEqual([bent?.getWeights(), bent?.getExtras()], [[0.5], { targetNames: ['Raised'] }]);
    assert.ok(findNode(after, 'Stand').getExtension('KHR_lights_punctual'));
    const variants = root
      .listExtensionsUsed()
      .find(({ extensionName }) => extensionName === 'KHR_materials_variants')
      ?.listProperties()
      .filter((property): property is Variant => property.propertyType === 'Variant');
    assert.deepEqual(listNames(variants ?? []), ['Woven']);
    const expected = listNames((await makeFullFeaturedModel()).getRoot().listNodes());
    assert.deepEqual(
      expected.filter((name) => !listNames(root.listNodes()).includes(name)),
      [],
    );
  });

  it('writes a model that passes the validation, with the same counts', async () => {
    const { model, after } = await runOptimize(await makeFullFeaturedModel());
    const { stats } = await validateGlb(createBufferReader(Buffer.from(model)));
    const { bytes, bounds, extensions, ...counts } = stats;
    assert.deepEqual(
      [bytes, bounds !== undefined, extensions.length > 5],
      [model.length, true, true],
    );
    assert.deepEqual(counts, computeModelCounts(after));
  });

  it('leaves out a part that has only triangles without area', async () => {
    const document = disableLogging(new Document());
    const { node } = addSheet(document, { side: 4 });
    const sliver = addSheet(document, { side: 1, x: 3 });
    sliver.primitive.getIndices()?.setArray(new Uint32Array([0, 0, 1, 1, 2, 2]));
    const alone = addSheet(document, { side: 1, x: 6 });
    alone.primitive.getIndices()?.setArray(new Uint32Array([0, 1, 1]));
    node.getMesh()?.addPrimitive(sliver.primitive);
    sliver.node.setMesh(null);
    const { model, after } = await runOptimize(document);
    assert.equal(await countErrors(model), 0);
    assert.equal(computeModelCounts(after).triangles, 32);
  });

  it('keeps each material with its color and the values of its extension', async () => {
    const before = createTestDocument();
    addExtensionMaterials(before);
    const { after } = await runOptimize(before);
    for (const [index, [name, { set }]] of Object.entries(MATERIAL_EXTENSION_SAMPLES).entries()) {
      const material = after
        .getRoot()
        .listMaterials()
        .find((candidate) => candidate.getName() === name);
      const color = [index / 16, 0.5, 1 - index / 16, 1];
      assert.deepEqual(round(material?.getBaseColorFactor() ?? []), round(color), name);
      const property = material?.getExtension(name) as unknown as Record<string, () => number>;
      for (const [setter, value] of Object.entries(set)) {
        const actual = property[setter.replace('set', 'get')]?.() ?? 0;
        // Thickness is in the units of the mesh, which quantization has changed to steps of its grid.
        const scale =
          setter === 'setThicknessFactor' ? findNode(after, name).getWorldScale()[0] : 1;
        assert.ok(
          Math.abs(actual * scale - value) < 1e-5,
          `${name}: ${actual * scale}, not ${value}`,
        );
      }
    }
  });

  it('changes the size by less than 1 % when it runs again', async () => {
    const { model, after } = await runOptimize(await makeFullFeaturedModel());
    const again = await runOptimize(after);
    const change = again.model.length / model.length - 1;
    assert.ok(Math.abs(change) < 0.01, `${model.length}, then ${again.model.length} bytes`);
  });

  it('does not make a small model larger, apart from its shadow', async () => {
    for (const box of [makeBox(), makeBox({ textured: true })]) {
      const { model, after } = await runOptimize(
        await (await createGltfIo()).readBinary(new Uint8Array(box)),
      );
      const shadowBytes = JSON.stringify(after.getRoot().getAsset().extras).length;
      const bytes = model.length - shadowBytes;
      assert.ok(bytes <= box.length, `${box.length}, then ${bytes} bytes`);
      assert.ok(shadowBytes < 1700, `${shadowBytes} bytes`);
      assert.equal(await countErrors(model), 0);
    }
  });

  it('reports progress for each texture', async () => {
    const updates: string[] = [];
    await optimize(await makeFullFeaturedModel(), {}, (step, percent) =>
      updates.push(`${step} ${Math.round(percent)}`),
    );
    assert.ok(updates.includes('textures 75'), updates.join());
  });
});

describe('copies of a mesh', () => {
  const makeChairs = (count: number): Document => {
    const document = createTestDocument();
    const mesh = createSheetMesh(
      document,
      document.createMaterial('Red').setBaseColorFactor([1, 0, 0, 1]),
    );
    for (let index = 0; index < count; index++) {
      addMeshNode(document, `Chair ${index}`, mesh)
        .setTranslation([index * 1.5, Math.sin(index), index % 7])
        .setRotation([0, Math.sin(index), 0, Math.cos(index)]);
    }
    return document;
  };

  it('become instances, with their names, if there are many', async () => {
    const expectedBounds = getSceneBounds(makeChairs(60));
    const { after, model } = await runOptimize(makeChairs(60));
    const [node, ...others] = after.getRoot().listNodes();
    assert.deepEqual(others, []);
    const expected = Array.from({ length: 60 }, (_, index) => `Chair ${index}`);
    assert.deepEqual(node?.getExtras(), { names: expected });
    const { triangles } = computeModelCounts(after);
    assert.ok(triangles % 60 === 0 && triangles > 0, `${triangles} triangles`);
    assert.equal(await countErrors(model), 0);
    assert.ok(
      maxSideDistance(getSceneBounds(after), expectedBounds) < 0.01,
      JSON.stringify(getSceneBounds(after)),
    );
    const { bounds } = (await validateGlb(createBufferReader(Buffer.from(model)))).stats;
    assert.ok(bounds && bounds.min[0] <= expectedBounds.min[0] + 0.01);
    assert.ok(bounds.max[0] >= expectedBounds.max[0] - 0.01);
  });

  it('stay separate nodes if there are few', async () => {
    const { after } = await runOptimize(makeChairs(20));
    assert.equal(after.getRoot().listNodes().length, 20);
  });
});

describe('a preview', () => {
  it('has at most 100 kB, and the bounds of the model', async () => {
    const document = disableLogging(
      await (await createGltfIo()).readBinary(new Uint8Array(makeGridGlb(100_000))),
    );
    addVertexNoise(document);
    const { preview, after } = await runOptimize(document);
    assert.ok(preview && preview.length <= 100_000, `${preview?.length} bytes`);
    assert.equal(await countErrors(preview), 0);
    const previewDocument = await (await createGltfIo()).readBinary(preview);
    const { extras } = after.getRoot().getAsset();
    const pattern = /^{"clocheContactShadow":{"rectangle":\[.*},"clocheFramingPoints":{"min":\[/;
    assert.match(JSON.stringify(extras), pattern);
    assert.deepEqual(previewDocument.getRoot().getAsset().extras, extras);
    assert.ok(
      maxSideDistance(getSceneBounds(previewDocument), getSceneBounds(after)) < 0.1,
      'of 10 m',
    );
  });

  it('has at most 100 kB with textures that compress badly', async () => {
    const image = await sharp(randomBytes(512 * 512 * 3), {
      raw: { width: 512, height: 512, channels: 3 },
    })
      .png()
      .toBuffer();
    const { preview, after } = await runOptimize(await makeTexturedDocument(new Uint8Array(image)));
    assert.ok(preview && preview.length <= 100_000, `${preview?.length} bytes`);
    assert.equal(after.getRoot().listTextures().length, 1);
  });

  it('of a large model is passed on before the textures are compressed', async () => {
    const document = disableLogging(
      await (await createGltfIo()).readBinary(new Uint8Array(makeGridGlb(100_000))),
    );
    addVertexNoise(document);
    const events: string[] = [];
    let early: Uint8Array | undefined;
    const { preview } = await optimize(
      document,
      {},
      (step) => events.push(step),
      (passedOn) => {
        events.push('passed on');
        early = passedOn;
      },
    );
    assert.ok(events.includes('passed on'));
    assert.ok(events.indexOf('passed on') < events.indexOf('textures'), events.join());
    assert.equal(preview, early, 'the same preview is published');
  });

  it('of a model that may be small is not passed on', async () => {
    const fail = () => assert.fail('The preview is passed on.');
    await optimize(await makeFullFeaturedModel(), {}, () => undefined, fail);
  });

  it('is not generated for a small model', async () => {
    assert.equal((await runOptimize(await makeFullFeaturedModel())).preview, undefined);
  });
});

it('a small file with many triangles, because of its instances, has levels and no preview', async () => {
  const document = disableLogging(new Document());
  const { node } = addSheet(document, { side: 24, normals: true });
  const mesh = node.getMesh();
  for (let index = 1; index < 400; index++) {
    const copy = document
      .createNode()
      .setMesh(mesh)
      .setTranslation([index % 20, 0, index / 20]);
    document.getRoot().listScenes()[0]?.addChild(copy);
  }
  const { model, preview, levels } = await optimize(document, {}, () => undefined);
  assert.ok(model.length < 100_000, `${model.length} bytes`);
  assert.equal(preview, undefined);
  const triangles: number[] = [];
  for (const file of [model, ...(levels?.geometries.map(({ glb }) => glb) ?? [])])
    triangles.push((await validateGlb(createBufferReader(Buffer.from(file)))).stats.triangles);
  const [all = 0, small = Infinity, first = Infinity] = triangles;
  assert.equal(all, 2 * 24 ** 2 * 400);
  assert.ok(small < first, triangles.join());
  assert.ok(first <= GEOMETRY_LEVELS.first.maxTriangles, triangles.join());
});

async function countErrors(glb: Uint8Array): Promise<number> {
  const { issues } = await validator.validateBytes(glb);
  const errors = issues.messages.filter(({ severity }: { severity: number }) => severity === 0);
  assert.deepEqual(errors, []);
  return issues.numErrors;
}

function getSceneBounds(document: Document): BoundingBox {
  return computeSceneBounds(document) ?? assert.fail('the scene is empty');
}

/** Computes the largest distance between corresponding sides of two boxes. */
function maxSideDistance(a: BoundingBox, b: BoundingBox): number {
  const sides = (box: BoundingBox) => [...box.min, ...box.max];
  return Math.max(...sides(a).map((side, index) => Math.abs(side - (sides(b)[index] ?? NaN))));
}

/** Moves every vertex up by a random amount, so that no triangle can be removed. */
function addVertexNoise(document: Document): void {
  const position = document
    .getRoot()
    .listMeshes()[0]
    ?.listPrimitives()[0]
    ?.getAttribute('POSITION');
  const array = position?.getArray() ?? [];
  for (let index = 1; index < array.length; index += 3) {
    array[index] = (array[index] ?? 0) + 0.05 * Math.random();
  }
}

function round(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_key, member) =>
    typeof member === 'number' ? Number(member.toFixed(3)) + 0 : member,
  );
}

function listNames(properties: readonly { getName(): string }[]): string[] {
  return properties.map((property) => property.getName());
}

function findNode(document: Document, name: string): Node {
  const nodes = document.getRoot().listNodes();
  return nodes.find((node) => node.getName() === name) ?? assert.fail(name);
}

/** Returns the mesh of a node, or that of its child: quantization may have moved it there. */
function getMesh(node: Node) {
  return node.getMesh() ?? node.listChildren()[0]?.getMesh();
}
