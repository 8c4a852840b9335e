import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { estimateMaxSize } from '@cloche/contract/geometry-size';
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
    const { error, maxSize } = (await simplifyToLevel(document, level, 0)) ?? assert.fail();
    assert.ok(error > 0 && maxSize >= (level.maxSize ?? estimateMaxSize(countTriangles(document))));
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
    const document = new Document();
    addSheet(document, { side: 306, normals: true });
    await quantize(document, { scene: 14, mesh: 11 });
    assert.equal(await simplifyToLevel(document, first, 0), undefined);
    assert.equal(countTriangles(document), 2 * 306 ** 2);
  });

  it('is not made for a size that needs most triangles', async () => {
    const document = new Document();
    addSheet(document, { side: 60, height: 0.5, normals: true });
    await quantize(document, { scene: 14, mesh: 11 });
    assert.equal(await simplifyToLevel(document, { maxSize: 16_000 }, 0), undefined);
    assert.equal(countTriangles(document), 2 * 60 ** 2);
  });

  it('that follows another one has its error, too', async () => {
    const create = async () => {
      const document = new Document();
      for (const x of [0, 1]) addSheet(document, { side: 200, x, normals: true });
      await quantize(document, { scene: 14, mesh: 11 });
      return document;
    };
    const [document, other] = [await create(), await create()];
    const { error } = (await simplifyToLevel(document, { maxSize: 2000 }, 0)) ?? assert.fail();
    const { error: next } =
      (await simplifyToLevel(document, { maxSize: 1000 }, error)) ?? assert.fail();
    assert.ok(toMaxSize(next) >= 1000 && toMaxSize(next) < 1050, `${next}`);
    // Of the same document, as if it were the model.
    await simplifyToLevel(other, { maxSize: 2000 }, 0);
    const { error: own } = (await simplifyToLevel(other, { maxSize: 1000 }, 0)) ?? assert.fail();
    assert.ok(countTriangles(other) < 0.95 * countTriangles(document));
    assert.ok(own > 0.95 * next, `${own}, ${next}`);
    assert.equal(await simplifyToLevel(document, { maxSize: 1001 }, next), undefined);
  });

  it('is not made for a size if many small pieces would disappear, which are visible together', async () => {
    const document = new Document();
    const { primitive, node } = addSheet(document, { side: 400, normals: true });
    keepPieces(primitive);
    for (let count = 1; count < 4; count++)
      findDefaultScene(document)?.addChild(document.createNode().setMesh(node.getMesh()));
    await quantize(document, { scene: 14, mesh: 11 });
    const before = countTriangles(document);
    for (const level of [{ maxSize: 320 }, { maxSize: 320, maxTriangles: 100_000 }])
      assert.equal(await simplifyToLevel(document, level, 0), undefined);
    assert.equal(countTriangles(document), before);
    const level = await simplifyToLevel(document, { maxTriangles: 100_000 }, 0);
    assert.equal(level?.maxSize, toMaxSize(level?.error ?? 0));
  });

  it('is made with fewer triangles if a size needs most of them', async () => {
    const document = new Document();
    addSheet(document, { side: 120, height: 0.5, normals: true });
    await quantize(document, { scene: 14, mesh: 11 });
    const level = { maxSize: 16_000, maxTriangles: 20_000 };
    const { error, maxSize } = (await simplifyToLevel(document, level, 0)) ?? assert.fail();
    assert.ok(error > 0 && maxSize < 16_000, `${error}, ${maxSize}`);
    assert.ok(countTriangles(document) <= 20_000);
  });

  const unmeasurable: [
    reason: string,
    normals: boolean,
    change: (primitive: Primitive, document: Document) => void,
  ][] = [
    ['flat-shaded triangles', false, () => undefined],
    ['triangles with morph targets', true, addMorphTarget],
    ['triangles with a skin', true, addJoints],
    ['triangles with a second set of texture coordinates', true, addTexCoords],
  ];
  for (const [reason, normals, change] of unmeasurable)
    it(`has a size by its number of triangles if it has fewer ${reason}, and is not made for a size`, async () => {
      const document = new Document().setLogger(SILENT);
      const { primitive } = addSheet(document, { side: 310, normals });
      change(primitive, document);
      await quantize(document, { scene: 14, mesh: 11 });
      assert.equal(await simplifyToLevel(document, { maxSize: 640 }, 0), undefined);
      const { error, maxSize } = (await simplifyToLevel(document, first, 0)) ?? assert.fail();
      assert.equal(error, Infinity);
      assert.equal(maxSize, estimateMaxSize(countTriangles(document)));
    });

  it('is made for a size without normals if light has no effect', async () => {
    const document = new Document().setLogger(SILENT);
    const { primitive } = addSheet(document, { side: 310 });
    const unlit = document.createExtension(KHRMaterialsUnlit).createUnlit();
    primitive.setMaterial(document.createMaterial().setExtension('KHR_materials_unlit', unlit));
    await quantize(document, { scene: 14, mesh: 11 });
    assert.ok(await simplifyToLevel(document, { maxSize: 640 }, 0));
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
      assert.equal(await simplifyToLevel(document, level, 0), undefined);
    assert.equal(countTriangles(document), 198_000);
  });
});

/** Keeps the first rows of a sheet, and of the others triangles that do not touch: one of every second square in every second row. */
function keepPieces(primitive: Primitive): void {
  const indices = primitive.getIndices();
  const corners = (indices?.getArray() ?? []) as Uint32Array;
  const side = Math.sqrt(corners.length / 6);
  const isKept = (triangle: number) => {
    const row = Math.floor(triangle / 2 / side);
    return row < 8 || (triangle % 4 === 0 && row % 2 === 0);
  };
  indices?.setArray(corners.filter((_, corner) => isKept(Math.floor(corner / 3))));
}

function addMorphTarget(primitive: Primitive, document: Document): void {
  const position = primitive.getAttribute('POSITION')?.clone() ?? null;
  primitive.addTarget(document.createPrimitiveTarget().setAttribute('POSITION', position));
}

function addJoints(primitive: Primitive, document: Document): void {
  const count = primitive.getAttribute('POSITION')?.getCount() ?? 0;
  const joints = document
    .createAccessor()
    .setType('VEC4')
    .setArray(new Uint8Array(4 * count));
  primitive.setAttribute('JOINTS_0', joints);
}

function addTexCoords(primitive: Primitive, document: Document): void {
  const count = primitive.getAttribute('POSITION')?.getCount() ?? 0;
  const array = new Float32Array(2 * count);
  for (const name of ['TEXCOORD_0', 'TEXCOORD_1'])
    primitive.setAttribute(name, document.createAccessor().setType('VEC2').setArray(array.slice()));
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
