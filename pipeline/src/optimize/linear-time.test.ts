import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Accessor, Document, Material, Node, Root } from '@gltf-transform/core';
import { MeshoptEncoder, MeshoptSimplifier } from 'meshoptimizer';
import { createGrowableIndices, VertexDeduplicator } from '../mesh/growable-array.ts';
import { triangulatePolygon } from '../mesh/triangulate.ts';
import { VALIDATION_LIMITS } from '../validation/limits.ts';
import { joinMeshes } from './join-meshes.ts';
import { optimize } from './optimize.ts';
import { generatePreview } from './preview/generate-preview.ts';
import { weldPrimitive } from './weld-primitive.ts';

type TriangleSoup = { positions: Float32Array<ArrayBuffer>; indices?: Uint32Array<ArrayBuffer> };

function makeMesh({ positions, indices }: TriangleSoup): Document {
  const document = new Document();
  const buffer = document.createBuffer();
  const toAccessor = (array: Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>) =>
    document.createAccessor().setArray(array).setBuffer(buffer);
  const primitive = document
    .createPrimitive()
    .setAttribute('POSITION', toAccessor(positions).setType('VEC3'))
    .setIndices(indices ? toAccessor(indices) : null);
  const node = document.createNode().setMesh(document.createMesh().addPrimitive(primitive));
  document.createScene().addChild(node);
  return document;
}

/** A point on the unit sphere; consecutive points are far apart. */
const toPoint = (index: number) => {
  const height = Math.cos(index * 0.7);
  const radius = Math.sqrt(1 - height ** 2);
  return [radius * Math.cos(index * 2.4), height, radius * Math.sin(index * 2.4)];
};

const MESHES: Record<string, (triangleCount: number) => TriangleSoup> = {
  'all vertices at one point, but for one triangle': (count) => {
    const positions = new Float32Array(9 * count);
    positions.set([0, 0, 0, 1, 0, 0, 0, 1, 0]);
    return { positions };
  },
  'one triangle repeated': (count) => ({
    positions: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0),
    indices: Uint32Array.from({ length: 3 * count }, (_, corner) => corner % 3),
  }),
  'a fan around a vertex': (count) => ({
    positions: Float32Array.from(
      Array.from({ length: count + 2 }, (_, index) =>
        index === 0 ? [0, 0, 0] : toPoint(index),
      ).flat(),
    ),
    indices: Uint32Array.from(
      Array.from({ length: count }, (_, index) => [0, index + 1, index + 2]).flat(),
    ),
  }),
  'triangles that share only a position': (count) => ({
    positions: Float32Array.from(
      Array.from({ length: count }, (_, index) => [
        ...[0, 0, 0],
        ...toPoint(index),
        ...toPoint(index + 0.1),
      ]).flat(),
    ),
  }),
  'each of √n vertices in √n triangles': (count) => {
    const side = Math.floor(Math.sqrt(count));
    return {
      positions: Float32Array.from(
        Array.from({ length: 3 * side }, (_, index) => toPoint(index)).flat(),
      ),
      indices: Uint32Array.from(
        Array.from({ length: side ** 2 }, (_, index) => {
          const [a, b] = [index % side, Math.floor(index / side)];
          return [a, side + b, 2 * side + ((a + b) % side)];
        }).flat(),
      ),
    };
  },
};

/** Asserts that a count of operations at most triples when the size doubles, and is below a bound. */
async function assertLinear(
  count: (size: number) => Promise<number> | number,
  { size, maxPerItem }: { size: number; maxPerItem: number },
): Promise<void> {
  for (const current of [size, 2 * size, 4 * size]) {
    const operations = await count(current);
    assert.ok(operations <= maxPerItem * current, `${operations} operations for ${current} items`);
  }
}

/** The work of meshoptimizer: the sum of squared numbers of triangles that meet in a position. */
function countWork(indices: ArrayLike<number>, toVertex: (index: number) => number): number {
  const valences = new Map<number, number>();
  for (const index of Array.from(indices)) {
    valences.set(toVertex(index), (valences.get(toVertex(index)) ?? 0) + 1);
  }
  return [...valences.values()].reduce((sum, valence) => sum + valence ** 2, 0);
}

/** Observes what is passed to meshoptimizer; each simplification and each new order is one call. */
function observeMeshoptimizer(t: TestContext) {
  const observed = { simplifyWork: 0, reorderWork: 0, calls: 0 };
  const { simplifyWithAttributes } = MeshoptSimplifier;
  const { reorderMesh } = MeshoptEncoder;
  t.mock.method(MeshoptSimplifier, 'simplifyWithAttributes', ((...args) => {
    const remap = MeshoptSimplifier.generatePositionRemap(args[1], args[2]);
    const work = countWork(args[0], (index) => remap[index] as number);
    observed.simplifyWork = Math.max(observed.simplifyWork, work);
    observed.calls++;
    return simplifyWithAttributes(...args);
  }) satisfies typeof simplifyWithAttributes);
  t.mock.method(MeshoptEncoder, 'reorderMesh', ((...args) => {
    observed.reorderWork = Math.max(
      observed.reorderWork,
      countWork(args[0], (index) => index),
    );
    observed.calls++;
    return reorderMesh(...args);
  }) satisfies typeof reorderMesh);
  return observed;
}

describe('the time of optimization is linear for', () => {
  for (const [name, make] of Object.entries(MESHES)) {
    it(name, async (t) => {
      const observed = observeMeshoptimizer(t);
      const count = async (triangleCount: number) => {
        Object.assign(observed, { simplifyWork: 0, reorderWork: 0, calls: 0 });
        await optimize(makeMesh(make(triangleCount)), {}, () => {});
        assert.ok(observed.calls < 100, `${observed.calls} calls`);
        return observed.simplifyWork + observed.reorderWork / 16;
      };
      await assertLinear(count, { size: 5000, maxPerItem: 3 * 2 * 16 });
    });
  }

  it('primitives that cannot be simplified, each with a material', async (t) => {
    const observed = observeMeshoptimizer(t);
    const comparisons = t.mock.method(Material.prototype, 'equals').mock;
    const count = async (size: number) => {
      observed.calls = 0;
      comparisons.resetCalls();
      const document = makeMesh({ positions: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0) });
      const [mesh] = document.getRoot().listMeshes();
      const [primitive] = mesh?.listPrimitives() ?? [];
      for (let index = 1; index < size; index++) {
        const material = document.createMaterial().setBaseColorFactor([index / size, 0, 0, 1]);
        if (primitive) mesh?.addPrimitive(primitive.clone().setMaterial(material));
      }
      await optimize(document, {}, () => {});
      return observed.calls + comparisons.callCount();
    };
    await assertLinear(count, { size: 100, maxPerItem: 6 });
  });

  it('a preview that simplification cannot make smaller', async (t) => {
    const document = makeMesh({ positions: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0) });
    const [node] = document.getRoot().listNodes();
    const skin = document.createSkin();
    for (let index = 0; index < 5000; index++) {
      skin.addJoint(document.createNode().setTranslation([index, index, index]));
    }
    node?.setSkin(skin);
    for (const joint of skin.listJoints()) node?.addChild(joint);
    const [primitive] = document.getRoot().listMeshes()[0]?.listPrimitives() ?? [];
    if (primitive) weldPrimitive(primitive);
    const observed = observeMeshoptimizer(t);
    assert.equal(await generatePreview(document), undefined);
    // One attempt: the order of the triangles, and that of the vertices.
    assert.equal(observed.calls, 2);
  });

  it('materials that differ only in what the key does not contain', async (t) => {
    const comparisons = t.mock.method(Material.prototype, 'equals').mock;
    const count = async (size: number) => {
      comparisons.resetCalls();
      const document = makeMesh({ positions: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0) });
      const [mesh] = document.getRoot().listMeshes();
      const [primitive] = mesh?.listPrimitives() ?? [];
      for (let index = 1; index < size; index++) {
        const material = document.createMaterial().setNormalScale(index);
        if (primitive) mesh?.addPrimitive(primitive.clone().setMaterial(material));
      }
      await optimize(document, {}, () => {});
      return comparisons.callCount();
    };
    await assertLinear(count, { size: 100, maxPerItem: 32 });
  });

  it('meshes that share their accessors, each with a material', async (t) => {
    const { listParents } = Accessor.prototype;
    let parents = 0;
    t.mock.method(Accessor.prototype, 'listParents', function (this: Accessor) {
      const list = listParents.call(this);
      parents += list.length;
      return list;
    });
    const count = async (size: number) => {
      parents = 0;
      const document = makeMesh({ positions: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0) });
      const [scene] = document.getRoot().listScenes();
      const [primitive] = document.getRoot().listMeshes()[0]?.listPrimitives() ?? [];
      for (let index = 1; index < size; index++) {
        const material = document.createMaterial().setBaseColorFactor([index / size, 0, 0, 1]);
        const mesh = document.createMesh();
        if (primitive) mesh.addPrimitive(primitive.clone().setMaterial(material));
        scene?.addChild(document.createNode().setMesh(mesh).setTranslation([index, 0, 0]));
      }
      await optimize(document, {}, () => {});
      return parents;
    };
    await assertLinear(count, { size: 100, maxPerItem: 40 });
  });

  it('materials, when meshes are joined', async (t) => {
    const document = makeMesh({ positions: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0) });
    const [scene] = document.getRoot().listScenes();
    for (let index = 0; index < 5000; index++) {
      const primitive = document.createPrimitive().setMaterial(document.createMaterial());
      const mesh = document.createMesh().addPrimitive(primitive);
      scene?.addChild(document.createNode().setMesh(mesh));
    }
    const lists = t.mock.method(Root.prototype, 'listMaterials').mock;
    await joinMeshes(document, { keepNamed: false });
    assert.equal(lists.callCount(), 1);
  });

  it('accessors of the same size', async (t) => {
    const reads = t.mock.method(Accessor.prototype, 'getArray').mock;
    const count = async (size: number) => {
      reads.resetCalls();
      const document = makeMesh({ positions: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0) });
      const [mesh] = document.getRoot().listMeshes();
      const [primitive] = mesh?.listPrimitives() ?? [];
      for (let index = 1; index < size; index++) {
        const positions = primitive?.getAttribute('POSITION')?.clone();
        positions?.setArray(Float32Array.of(0, 0, index, 1, 0, 0, 0, 1, 0));
        if (primitive && positions)
          mesh?.addPrimitive(primitive.clone().setAttribute('POSITION', positions));
      }
      await optimize(document, {}, () => {});
      return reads.callCount();
    };
    await assertLinear(count, { size: 100, maxPerItem: 250 });
  });

  it('scenes that share a node', async (t) => {
    const lists = t.mock.method(Node.prototype, 'listParents').mock;
    const count = async (size: number) => {
      const document = makeMesh({ positions: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0) });
      const [node] = document.getRoot().listNodes();
      for (let index = 1; index < size; index++) {
        if (node) document.createScene().addChild(node);
      }
      lists.resetCalls();
      await optimize(document, {}, () => {});
      return lists.calls.reduce((sum, { result }) => sum + (result?.length ?? 0), 0);
    };
    await assertLinear(count, { size: 100, maxPerItem: 8 });
  });
});

describe('a vertex deduplicator', () => {
  it('compares few rows, even those made to have the same hash', async () => {
    const count = (size: number) => {
      const deduplicator = new VertexDeduplicator(3);
      for (const row of makeCollidingRows(size)) deduplicator.getOrAdd(row);
      assert.equal(deduplicator.size, size);
      return deduplicator.comparisonCount;
    };
    await assertLinear(count, { size: 2000, maxPerItem: 8 });
  });
});

/** Rows with the same hash, if the factors of the columns are 1. */
function makeCollidingRows(count: number): Uint32Array[] {
  const factor = 0x9e3779b1;
  let inverse = factor;
  for (let round = 0; round < 5; round++)
    inverse = Math.imul(inverse, 2 - Math.imul(factor, inverse));
  const mix = (hash: number) => {
    const product = Math.imul(hash, factor);
    return product ^ (product >>> 15);
  };
  const unmix = (hash: number) => Math.imul(hash ^ (hash >>> 15) ^ (hash >>> 30), inverse);
  return Array.from({ length: count }, (_, index) => {
    const [x, y] = [index * 7919, index];
    return Uint32Array.of(x, y, unmix(0x12345678) ^ mix(mix(x) ^ y));
  });
}

it('a polygon with more corners than earcut takes in a second is refused', () => {
  const corners = Array.from({ length: VALIDATION_LIMITS.polygonCorners + 1 }, (_, index) => index);
  const positions = corners.flatMap((index) => toPoint(index));
  assert.throws(() => triangulatePolygon(createGrowableIndices(), corners, positions), {
    code: 'design.too-complex',
    reason: 'polygon-corners',
  });
});
