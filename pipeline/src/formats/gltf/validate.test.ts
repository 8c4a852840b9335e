import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ModelStats } from '@cloche/contract/model-stats';
import { Problem } from '@cloche/contract/problem';
import { type GltfPatch, makePatchedBox } from '../../../testing/malformed/patched-box.ts';
import { generateMalformedGlbs } from '../../../testing/malformed-glbs.ts';
import {
  type LooseGltf,
  makeBox,
  makeGlb,
  makeGridGlb,
  makeUnpackedBox,
  packBufferViews,
} from '../../../testing/models.ts';
import { makePng } from '../../../testing/png.ts';
import { openTemporaryDirectory } from '../../../testing/temporary-directory.ts';
import { createBufferReader, openFileReader } from '../../validation/byte-reader.ts';
import { VALIDATION_LIMITS } from '../../validation/limits.ts';
import { validateGlb } from './validate.ts';

const declaredBounds = { min: [-1, -1, 0], max: [1, 1, 0] };

const validateBytes = async (bytes: Buffer) => (await validateGlb(createBufferReader(bytes))).stats;

describe('validateGlb refuses', () => {
  for (const { name, bytes, code, reason } of generateMalformedGlbs()) {
    it(`${name}: ${code}, ${reason}`, async () => {
      await assert.rejects(validateBytes(bytes), (error) => {
        assert.ok(error instanceof Problem, String(error));
        assert.deepEqual([error.code, error.reason], [code, reason]);
        return true;
      });
    });
  }
});

describe('an error message', () => {
  const rows: [title: string, patch: GltfPatch, detail: RegExp][] = [
    [
      'has the path and what would be right',
      { 'accessors.3.bufferView': 17 },
      /^accessors\[3\]\.bufferView is 17, but the file has 7 buffer views\.$/,
    ],
    [
      'has the limit and the amount',
      { 'accessors.6': { count: 1e8, type: 'VEC3', componentType: 5126 } },
      /at least 1,200,\d{3},\d{3} bytes of decoded geometry; at most 1,073,741,824 are allowed/,
    ],
    [
      'quotes untrusted text shortened and without unprintable characters',
      { 'materials.0.alphaMode': `\u202eevil\u0007\u200b${'x'.repeat(500)}` },
      /^materials\[0\]\.alphaMode is "\uFFFDevil\uFFFD\uFFFDx{53}…"; it must be one of OPAQUE/,
    ],
    [
      'quotes untrusted member names',
      { 'meshes.0.primitives.0.attributes.a\nb': -1 },
      /^meshes\[0\]\.primitives\[0\]\.attributes\["a\uFFFDb"\] is -1/,
    ],
  ];
  for (const [title, patch, detail] of rows) {
    it(title, () => assert.rejects(validateBytes(makePatchedBox(patch)), { message: detail }));
  }
});

describe('validateGlb counts', () => {
  const box: Partial<ModelStats> = {
    triangles: 12,
    vertices: 24,
    nodes: 1,
    meshes: 1,
    materials: 1,
  };
  const primitive = 'meshes.0.primitives.0';
  const bounds = (x: number, y = x, z = x) => ({
    bounds: { min: [0 - x, 0 - y, 0 - z], max: [x, y, z] } as NonNullable<ModelStats['bounds']>,
  });
  const shift = { attributes: { TRANSLATION: 6 } };

  const rows: [name: string, file: Buffer, stats: Partial<ModelStats>][] = [
    ['a box', makeBox({ size: 2 }), { ...box, ...bounds(1), textures: 0, extensions: [] }],
    ['a textured box', makeBox({ textured: true }), { ...box, textures: 1 }],
    ['an unlit box', makeBox({ unlit: true }), { ...box, extensions: ['KHR_materials_unlit'] }],
    ['an animated box', makeBox({ spinning: true }), { ...box, animations: 1 }],
    ['a grid', makeGridGlb(1001), { triangles: 1001, vertices: 576 }],
    [
      'all root nodes if there is no scene',
      makePatchedBox({ scene: undefined, scenes: undefined }),
      box,
    ],
    [
      'a file with only an asset',
      makeGlb({ json: { asset: { version: '2.0' } } }),
      { triangles: 0 },
    ],
    [
      'points',
      makePatchedBox({ [`${primitive}.mode`]: 0 }),
      { ...box, triangles: 0, ...bounds(0.5) },
    ],
    ['lines', makePatchedBox({ [`${primitive}.mode`]: 3 }), { ...box, triangles: 0 }],
    ['a triangle strip', makePatchedBox({ [`${primitive}.mode`]: 5 }), { ...box, triangles: 34 }],
    [
      'a primitive without indices',
      makePatchedBox({ [`${primitive}.indices`]: undefined }),
      { ...box, triangles: 8 },
    ],
    [
      'a mesh that is used twice: triangles twice, vertices once',
      makePatchedBox({
        nodes: [{ mesh: 0 }, { mesh: 0, translation: [2, 0, 0] }],
        scenes: [{ nodes: [0, 1] }],
      }),
      { triangles: 24, vertices: 24, bounds: { min: [-0.5, -0.5, -0.5], max: [2.5, 0.5, 0.5] } },
    ],
    [
      'only the nodes of the default scene',
      makePatchedBox({
        nodes: [{ mesh: 0 }, { mesh: 0 }],
        scenes: [{ nodes: [0] }, { nodes: [0, 1] }],
        scene: 1,
      }),
      { triangles: 24, nodes: 2 },
    ],
    [
      'parents that rotate and scale',
      makePatchedBox({
        nodes: [
          { children: [1], scale: [2, 4, 2] },
          { mesh: 0, rotation: [0, 0, 0.5 ** 0.5, 0.5 ** 0.5] },
        ],
      }),
      bounds(1, 2, 1),
    ],
    [
      'a matrix',
      makePatchedBox({ 'nodes.0.matrix': [3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] }),
      bounds(1.5, 0.5, 0.5),
    ],
    [
      'a file with any extras',
      makePatchedBox({ extras: { uri: 'http://a.test', a: [[null]] }, 'nodes.0.extras': null }),
      box,
    ],
    [
      'an unknown extension that is not required',
      makePatchedBox({
        extensionsUsed: ['ACME_glow'],
        'materials.0.extensions': { ACME_glow: { a: 1 } },
      }),
      { ...box, extensions: ['ACME_glow'] },
    ],
    [
      'an image as a data: URI',
      makePatchedBox({ 'images.0': { uri: dataUri(makePng(2, 2, [9, 9, 9])) } }),
      box,
    ],
    [
      'a buffer as a data: URI',
      makeGlb({ json: { ...makeUnpackedBox().json, buffers: [dataBuffer()] } }),
      { ...box, ...bounds(0.5) },
    ],
    [
      'sparse positions',
      makePatchedBox({
        'accessors.6': {
          ...{ componentType: 5126, count: 24, type: 'VEC3' },
          sparse: {
            count: 1,
            indices: { bufferView: 3, componentType: 5123 },
            values: { bufferView: 0 },
          },
        },
        [`${primitive}.attributes.POSITION`]: 6,
      }),
      { ...box, bounds: { min: [0, -0.5, 0], max: [0.5, 0, 0.5] } },
    ],
    [
      'instances',
      makePatchedBox({
        'accessors.6': { bufferView: 0, componentType: 5126, count: 24, type: 'VEC3' },
        'nodes.0.extensions.EXT_mesh_gpu_instancing': shift,
      }),
      { ...box, triangles: 12 * 24, ...bounds(1) },
    ],
    [
      'a skin at its joint, not at its node',
      makeSkinned(),
      { nodes: 2, bounds: { min: [9.5, -0.5, -0.5], max: [10.5, 0.5, 0.5] } },
    ],
    [
      'variants, lights and cameras',
      makePatchedBox({
        'extensions.KHR_materials_variants': { variants: [{ name: 'Red' }, { name: 'Blue' }] },
        'extensions.KHR_lights_punctual': { lights: [{ type: 'spot', spot: {} }] },
        'nodes.0.extensions.KHR_lights_punctual': { light: 0 },
        cameras: [{ type: 'perspective', perspective: { yfov: 1, znear: 0.1 } }],
        'nodes.0.camera': 0,
        [`${primitive}.extensions.KHR_materials_variants`]: {
          mappings: [{ material: 0, variants: [0, 1] }],
        },
      }),
      { ...box, variants: 2 },
    ],
    ['quantized positions', makeQuantized(), { triangles: 1, ...bounds(1, 1, 0) }],
    ['interleaved positions', makeInterleaved(), { triangles: 1, ...bounds(1, 1, 0) }],
    ['meshopt, with its declared bounds', makeMeshopt(), { triangles: 1, ...bounds(1, 1, 0) }],
    ['Draco, with its declared bounds', makeDraco(), { triangles: 1, ...bounds(1, 1, 0) }],
  ];
  for (const [name, file, expected] of rows) {
    it(name, async () => {
      const stats = await validateBytes(file);
      const keys = Object.keys(expected) as (keyof ModelStats)[];
      assert.deepEqual(Object.fromEntries(keys.map((key) => [key, round(stats[key])])), expected);
      assert.equal(stats.bytes, file.length);
    });
  }

  it('a file on disk like one in memory', async (t) => {
    const path = join(await openTemporaryDirectory(t), 'grid.glb');
    // Larger than one block, so that vertices and indices are read in several blocks.
    const grid = makeGridGlb(200_000);
    await writeFile(path, grid);
    await using file = await openFileReader(path);
    assert.deepEqual((await validateGlb(file)).stats, await validateBytes(grid));
  });

  it('compressed positions only if they have declared bounds', async () => {
    const incompleteBounds = { ...declaredBounds, min: undefined };
    await assert.rejects(validateBytes(makeMeshopt(incompleteBounds)), { reason: 'missing' });
    await assert.rejects(validateBytes(makeDraco(incompleteBounds)), { reason: 'missing' });
  });

  it('up to the given limits', async () => {
    const source = createBufferReader(makeBox());
    await assert.rejects(validateGlb(source, { ...VALIDATION_LIMITS, triangles: 11 }), {
      reason: 'triangles',
    });
    assert.equal(
      (await validateGlb(source, { ...VALIDATION_LIMITS, triangles: 12 })).stats.triangles,
      12,
    );
  });
});

/** Rounds to a micrometer, because rotations are not exact. */
function round(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(value * 1e6) / 1e6 + 0;
  if (Array.isArray(value)) return value.map(round);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, round(item)]));
}

function dataUri(bytes: Buffer): string {
  return `data:application/octet-stream;base64,${bytes.toString('base64')}`;
}

function dataBuffer(): LooseGltf {
  const { bin } = makeUnpackedBox();
  return { byteLength: bin.length, uri: dataUri(bin) };
}

function makeSkinned(): Buffer {
  return makePatchedBox({
    skins: [{ joints: [1] }],
    nodes: [{ mesh: 0, skin: 0, translation: [0, 5, 0] }, { translation: [10, 0, 0] }],
    'scenes.0.nodes': [0, 1],
    'accessors.6': { componentType: 5121, count: 24, type: 'VEC4' },
    'meshes.0.primitives.0.attributes.JOINTS_0': 6,
  });
}

/** Makes a GLB of a triangle. The parameters are merged into the buffer view, accessor and document. */
function makeTriangle(
  data: Buffer,
  view: LooseGltf,
  position: LooseGltf,
  extra: LooseGltf = {},
): Buffer {
  const { bin, bufferViews } = packBufferViews([data]);
  const { primitive, ...root } = extra;
  const json: LooseGltf = {
    asset: { version: '2.0' },
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, ...(primitive as LooseGltf) }] }],
    accessors: [{ count: 3, type: 'VEC3', ...position }],
    bufferViews: [{ ...bufferViews[0], ...view }],
    buffers: [{ byteLength: bin.length }],
    ...root,
  };
  return makeGlb({ json, bin });
}

function makeQuantized(): Buffer {
  const shorts = [-32767, -32767, 0, 0, 32767, -32767, 0, 0, 0, 32767, 0, 0];
  const data = Buffer.from(new Int16Array(shorts).buffer);
  return makeTriangle(
    data,
    { byteStride: 8 },
    { bufferView: 0, componentType: 5122, normalized: true },
  );
}

function makeInterleaved(): Buffer {
  const data = Buffer.from(new Float32Array([9, -1, -1, 0, 9, 1, -1, 0, 9, 0, 1, 0]).buffer);
  return makeTriangle(
    data,
    { byteStride: 16 },
    { bufferView: 0, byteOffset: 4, componentType: 5126 },
  );
}

function makeMeshopt(bounds: LooseGltf = declaredBounds): Buffer {
  const stream = { buffer: 0, byteLength: 64, byteStride: 12, count: 3, mode: 'ATTRIBUTES' };
  return makeTriangle(
    Buffer.concat([Buffer.from([0xa0]), Buffer.alloc(63)]),
    { buffer: 1, byteLength: 36, extensions: { EXT_meshopt_compression: stream } },
    { bufferView: 0, componentType: 5126, ...bounds },
    {
      extensionsUsed: ['EXT_meshopt_compression'],
      extensionsRequired: ['EXT_meshopt_compression'],
      buffers: [
        { byteLength: 64 },
        { byteLength: 36, extensions: { EXT_meshopt_compression: { fallback: true } } },
      ],
    },
  );
}

function makeDraco(bounds: LooseGltf = declaredBounds): Buffer {
  // Edgebreaker, version 2.2: three vertices, one triangle.
  const head = Buffer.from('DRACO\x02\x02\x01\x01\0\0\0\x03\x01', 'latin1');
  const extension = { bufferView: 0, attributes: { POSITION: 0 } };
  return makeTriangle(
    Buffer.concat([head, Buffer.alloc(50)]),
    {},
    { componentType: 5126, ...bounds },
    {
      extensionsUsed: ['KHR_draco_mesh_compression'],
      primitive: { extensions: { KHR_draco_mesh_compression: extension } },
    },
  );
}
