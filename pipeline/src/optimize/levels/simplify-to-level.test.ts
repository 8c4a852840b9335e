import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Document, Logger, type Primitive } from '@gltf-transform/core';
import { KHRMaterialsUnlit } from '@gltf-transform/extensions';
import { addSheet } from '../../../testing/wavy-sheet.ts';
import { countSceneTriangles, findDefaultScene } from '../model-counts.ts';
import { quantize } from '../quantize/quantize.ts';
import { GEOMETRY_LEVELS, listLevels, simplifyToLevel, toMaxSize } from './simplify-to-level.ts';

const SILENT = new Logger(Logger.Verbosity.SILENT);

const countTriangles = (document: Document) => countSceneTriangles(findDefaultScene(document));

const { first, medium, small } = GEOMETRY_LEVELS;

describe('a level of a model', () => {
  it('has the same nodes, and vertices of the model', async () => {
    const triangles = await testLevel(first);
    assert.ok(triangles <= first.maxTriangles, `${triangles}`);
    assert.ok(triangles > 0.7 * first.maxTriangles, `${triangles}`);
  });

  it('has as many triangles as its size needs, the same nodes, and vertices of the model', async () => {
    const triangles = await Promise.all([160, 640, 2560].map((maxSize) => testLevel({ maxSize })));
    const [few = 0, more = 0, many = 0] = triangles;
    assert.ok(few < 0.5 * more && more < 0.5 * many && many < 100_000, `${triangles}`);
  });

  async function testLevel(level: Parameters<typeof simplifyToLevel>[1]): Promise<number> {
    const document = new Document();
    addSheet(document, { side: 220, name: 'left', normals: true });
    addSheet(document, { side: 260, x: 1, name: 'right', normals: true });
    await quantize(document, { scene: 14, mesh: 11 });
    const before = describeNodes(document);
    const positions = listPrimitives(document).map(listPositions);
    const { isLevel, error } = await simplifyToLevel(document, level, 0);
    assert.equal(isLevel, true);
    assert.ok(error > 0);
    if ('maxSize' in level) assert.ok(toMaxSize(error) >= level.maxSize, `${error}`);
    assert.deepEqual(describeNodes(document), before);
    for (const [index, primitive] of listPrimitives(document).entries()) {
      const remaining = listPositions(primitive);
      const own = positions[index] ?? new Set();
      assert.ok(remaining.size < own.size);
      assert.ok([...remaining].every((position) => own.has(position)));
    }
    return countTriangles(document);
  }

  it('is not made of a model with a few triangles more', async () => {
    for (const [level, side] of [
      [first, 306],
      [{ maxSize: 16_000 }, 60],
    ] as const) {
      const document = new Document();
      addSheet(document, { side, height: 0.5, normals: true });
      await quantize(document, { scene: 14, mesh: 11 });
      assert.deepEqual(await simplifyToLevel(document, level, 0), { isLevel: false, error: 0 });
      assert.equal(countTriangles(document), 2 * side ** 2);
    }
  });

  it('that follows another one has the same error as without it', async () => {
    const document = new Document();
    for (const x of [0, 1]) addSheet(document, { side: 200, x, normals: true });
    await quantize(document, { scene: 14, mesh: 11 });
    const { error } = await simplifyToLevel(document, { maxSize: 2000 }, 0);
    const triangles = countTriangles(document);
    const next = await simplifyToLevel(document, { maxSize: 1000 }, error);
    assert.ok(next.isLevel && countTriangles(document) < 0.7 * triangles);
    assert.ok(toMaxSize(next.error) >= 1000 && toMaxSize(next.error) < 1100, `${next.error}`);
    const same = await simplifyToLevel(document, { maxSize: 1100 }, next.error);
    assert.deepEqual(same, { isLevel: false, error: next.error });
  });

  const unmeasurable: [reason: string, normals: boolean, change: (primitive: Primitive) => void][] =
    [
      ['flat-shaded triangles', false, () => undefined],
      ['triangles with morph targets', true, addMorphTarget],
    ];
  for (const [reason, normals, change] of unmeasurable)
    it(`looks like the model in no size if it has fewer ${reason}, and is not made for one`, async () => {
      const document = new Document().setLogger(SILENT);
      const { primitive } = addSheet(document, { side: 310, normals });
      change(primitive);
      await quantize(document, { scene: 14, mesh: 11 });
      assert.equal((await simplifyToLevel(document, { maxSize: 640 }, 0)).isLevel, false);
      const { isLevel, error } = await simplifyToLevel(document, first, 0);
      assert.ok(isLevel);
      assert.equal(error, Infinity);
      assert.equal(toMaxSize(error), 0);
    });

  it('is made for a size without normals if light has no effect', async () => {
    const document = new Document().setLogger(SILENT);
    const { primitive } = addSheet(document, { side: 310 });
    const unlit = document.createExtension(KHRMaterialsUnlit).createUnlit();
    primitive.setMaterial(document.createMaterial().setExtension('KHR_materials_unlit', unlit));
    await quantize(document, { scene: 14, mesh: 11 });
    assert.ok((await simplifyToLevel(document, { maxSize: 640 }, 0)).isLevel);
  });

  it('is chosen by the triangles of the model', () => {
    for (const [side, levels] of [
      [193, []],
      [194, [medium, small]],
      [306, [medium, small]],
      [307, [first, small]],
    ] as const) {
      const document = new Document();
      addSheet(document, { side });
      assert.deepEqual(listLevels(document), levels);
    }
  });

  it('is not made of parts that cannot be simplified', async () => {
    const document = new Document();
    const { node } = addSheet(document, { side: 3, name: 'small' });
    const scene = findDefaultScene(document);
    const mesh = node.getMesh();
    for (let index = 1; index < 11_000; index++)
      scene?.addChild(document.createNode().setMesh(mesh).setTranslation([index, 0, 0]));
    for (const level of [first, medium, small])
      assert.equal((await simplifyToLevel(document, level, 0)).isLevel, false);
    assert.equal(countTriangles(document), 198_000);
  });
});

function addMorphTarget(primitive: Primitive): void {
  const document = Document.fromGraph(primitive.getGraph()) ?? assert.fail('no document');
  const position = primitive.getAttribute('POSITION')?.clone() ?? null;
  primitive.addTarget(document.createPrimitiveTarget().setAttribute('POSITION', position));
}

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
