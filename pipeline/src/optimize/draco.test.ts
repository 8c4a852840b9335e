import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliCompressSync, constants } from 'node:zlib';
import { Document, type Mesh } from '@gltf-transform/core';
import { draco } from '@gltf-transform/functions';
import draco3d from 'draco3dgltf';
import { createGltfIo } from '../formats/gltf/gltf-io.ts';
import { importGlb } from '../formats/gltf/import.ts';
import { optimize } from './optimize.ts';

type Surface = {
  /** Points along each axis. */
  columns: number;
  rows: number;
  /** The position of a point; u and v are from 0 to 1. */
  toPosition: (u: number, v: number) => [number, number, number];
};

function addSurface(document: Document, { columns, rows, toPosition }: Surface): Mesh {
  const buffer = document.getRoot().listBuffers()[0] ?? document.createBuffer();
  // Irregular: Draco predicts a regular grid without an error, and the model is then 1.4 times as large.
  const spread = (value: number, sine: number) =>
    value + 0.6 * (1e4 * sine - Math.floor(1e4 * sine));
  const coordinates = Array.from({ length: columns * rows }, (_, index) => [
    spread(index % columns, Math.sin(index)) / columns,
    spread(Math.floor(index / columns), Math.cos(index)) / rows,
  ]);
  const toAccessor = (type: 'VEC2' | 'VEC3', values: number[][]) =>
    document
      .createAccessor()
      .setType(type)
      .setArray(new Float32Array(values.flat()))
      .setBuffer(buffer);
  const toPoint = ([u = 0, v = 0]: number[]) => toPosition(u, v);
  const toNormal = ([u = 0, v = 0]: number[]) => {
    const [a, b, c] = [toPosition(u, v), toPosition(u + 1e-3, v), toPosition(u, v + 1e-3)];
    const [x, y] = [b, c].map((point) => point.map((value, axis) => value - (a[axis] as number)));
    const [x0 = 0, x1 = 0, x2 = 0, y0 = 0, y1 = 0, y2 = 0] = [...(x ?? []), ...(y ?? [])];
    const normal = [x1 * y2 - x2 * y1, x2 * y0 - x0 * y2, x0 * y1 - x1 * y0];
    const length = Math.hypot(...normal) || 1;
    return normal.map((value) => value / length);
  };
  const squares = Array.from({ length: (columns - 1) * (rows - 1) }, (_, square) => {
    const a = (square % (columns - 1)) + Math.floor(square / (columns - 1)) * columns;
    return [a, a + columns, a + 1, a + 1, a + columns, a + columns + 1];
  });
  const primitive = document
    .createPrimitive()
    .setAttribute('POSITION', toAccessor('VEC3', coordinates.map(toPoint)))
    .setAttribute('NORMAL', toAccessor('VEC3', coordinates.map(toNormal)))
    .setAttribute('TEXCOORD_0', toAccessor('VEC2', coordinates))
    .setIndices(
      document.createAccessor().setArray(new Uint32Array(squares.flat())).setBuffer(buffer),
    );
  const mesh = document.createMesh().addPrimitive(primitive);
  document.getRoot().listScenes()[0]?.addChild(document.createNode('Part').setMesh(mesh));
  return mesh;
}

function createDocument(): Document {
  const document = new Document();
  document.createScene();
  return document;
}

/** A surface with details of all sizes, as scans have. */
function makeScan(): Document {
  const document = createDocument();
  const detail = (u: number, v: number) =>
    0.08 * Math.sin(9 * u + 5 * v) + 0.01 * Math.sin(71 * u) * Math.sin(83 * v);
  addSurface(document, {
    columns: 220,
    rows: 220,
    toPosition: (u, v) => {
      const radius = 1 + detail(u, v) + 0.002 * Math.sin(331 * u + 17) * Math.sin(353 * v);
      const [angle, height] = [5 * u, 2 * v - 1];
      return [radius * Math.cos(angle), height, radius * Math.sin(angle)];
    },
  });
  return document;
}

/** Pipes of different sizes, each a mesh, as assemblies have. */
function makeAssembly(): Document {
  const document = createDocument();
  for (let part = 0; part < 300; part++) {
    const [radius, length] = [0.02 + (part % 17) / 300, 0.1 + (part % 23) / 40];
    addSurface(document, {
      columns: 25,
      rows: 9,
      toPosition: (u, v) => [
        (part % 20) + radius * Math.cos(2 * Math.PI * u) + 0.1 * Math.sin(3 * v),
        Math.floor(part / 20) + radius * Math.sin(2 * Math.PI * u),
        length * v,
      ],
    });
  }
  return document;
}

/** A folded cloth, whose material uses the texture coordinates. */
function makeCloth(): Document {
  const document = createDocument();
  const mesh = addSurface(document, {
    columns: 150,
    rows: 150,
    toPosition: (u, v) => [u, 0.1 * Math.sin(25 * u + 6 * v * v) * v, v],
  });
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const texture = document.createTexture().setImage(new Uint8Array(png)).setMimeType('image/png');
  mesh.listPrimitives()[0]?.setMaterial(document.createMaterial().setBaseColorTexture(texture));
  return document;
}

async function encodeDraco(document: Document, options: Parameters<typeof draco>[0]) {
  const io = (await createGltfIo()).registerDependencies({
    'draco3d.encoder': await draco3d.createEncoderModule(),
  });
  await document.transform(draco(options));
  return Buffer.from(await io.writeBinary(document));
}

/** As the service does: see server/src/processing/compress-draft.ts. */
function compress(bytes: Uint8Array): Buffer {
  const quality = bytes.length <= 256 * 1024 ? 10 : 5;
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
}

const settings = {
  'the settings of glTF-Transform': {
    quantizePosition: 14,
    quantizeNormal: 10,
    quantizeTexcoord: 12,
  },
  'the settings of gltf-pipeline': {
    quantizePosition: 11,
    quantizeNormal: 8,
    quantizeTexcoord: 10,
  },
};

describe('a file with Draco becomes at most 1.25 times as large in transfer:', () => {
  for (const [name, make] of Object.entries({
    'a scan': makeScan,
    'an assembly': makeAssembly,
    'a cloth': makeCloth,
  })) {
    for (const [encoder, options] of Object.entries(settings)) {
      it(`${name}, with ${encoder}`, async () => {
        const source = await encodeDraco(make(), options);
        assert.ok(source.includes('KHR_draco_mesh_compression'));
        const { document } = await importGlb(source);
        const { model } = await optimize(document, {}, () => {});
        const ratio = compress(model).length / source.length;
        assert.ok(
          ratio <= 1.25,
          `${source.length}, then ${compress(model).length} bytes: ${ratio}`,
        );
      });
    }
  }

  it('keeps positions that are on a grid exactly', async () => {
    const source = await encodeDraco(makeScan(), settings['the settings of gltf-pipeline']);
    const { model } = await optimize((await importGlb(source)).document, {}, () => {});
    const { document } = await importGlb(Buffer.from(model));
    const positions = listPositions(document);
    assert.ok(positions.length > 5000);
    const min = [0, 1, 2].map((axis) => Math.min(...positions.map((point) => point[axis] ?? 0)));
    const max = [0, 1, 2].map((axis) => Math.max(...positions.map((point) => point[axis] ?? 0)));
    const step = Math.max(...max.map((high, axis) => high - (min[axis] ?? 0))) / (2 ** 11 - 1);
    for (const point of positions) {
      for (const [axis, value] of point.entries()) {
        const steps = (value - (min[axis] ?? 0)) / step;
        assert.ok(Math.abs(steps - Math.round(steps)) < 0.01, `${steps} steps`);
      }
    }
  });
});

/** The positions of all vertices in the scene. The nodes are not rotated. */
function listPositions(document: Document): number[][] {
  return document
    .getRoot()
    .listNodes()
    .flatMap((node) => {
      const position = node.getMesh()?.listPrimitives()[0]?.getAttribute('POSITION');
      const [scale, translation] = [node.getWorldScale(), node.getWorldTranslation()];
      return Array.from({ length: position?.getCount() ?? 0 }, (_, index) =>
        (position?.getElement<number[]>(index, []) ?? []).map(
          (value, axis) => value * (scale[axis] ?? 1) + (translation[axis] ?? 0),
        ),
      );
    });
}
