import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Document, WebIO } from '@gltf-transform/core';
import sharp from 'sharp';

/** A source file, before processing. */
export type SourceModel = { name: string; file: Uint8Array };

const LONGITUDES = 320;
const LATITUDES = 200;
const TEXTURE_SIZE = 1024;

/** Reads WaterBottle and FlightHelmet from the folder `CLOCHE_BENCH_MODELS`, or generates a model. */
export async function readSourceModels(): Promise<SourceModel[]> {
  const folder = process.env.CLOCHE_BENCH_MODELS;
  if (!folder) return [{ name: 'a stone', file: await makeStone() }];
  const names = (await readdir(folder)).filter((name) => /WaterBottle|FlightHelmet/.test(name));
  return Promise.all(
    names.map(async (name) => ({ name, file: await readFile(join(folder, name)) })),
  );
}

/** Generates a stone of 128,000 triangles with three textures. */
async function makeStone(): Promise<Uint8Array> {
  const document = new Document();
  const buffer = document.createBuffer();
  const { positions, texCoords, indices } = makeStoneGeometry();
  const accessor = (
    array: Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>,
    type: 'VEC3' | 'VEC2' | 'SCALAR',
  ) => document.createAccessor().setArray(array).setType(type).setBuffer(buffer);
  const texture = async (seed: number) =>
    document
      .createTexture()
      .setMimeType('image/png')
      .setImage(await makeNoiseTexture(seed));
  const material = document
    .createMaterial()
    .setMetallicFactor(0)
    .setBaseColorTexture(await texture(90))
    .setMetallicRoughnessTexture(await texture(140))
    .setOcclusionTexture(await texture(200));
  const primitive = document
    .createPrimitive()
    .setMaterial(material)
    .setAttribute('POSITION', accessor(positions, 'VEC3'))
    .setAttribute('TEXCOORD_0', accessor(texCoords, 'VEC2'))
    .setIndices(accessor(indices, 'SCALAR'));
  const node = document.createNode().setMesh(document.createMesh().addPrimitive(primitive));
  document.createScene().addChild(node);
  return new WebIO().writeBinary(document);
}

function makeStoneGeometry() {
  const positions: number[] = [];
  const texCoords: number[] = [];
  const indices: number[] = [];
  for (let row = 0; row <= LATITUDES; row++) {
    for (let column = 0; column <= LONGITUDES; column++) {
      const [v, u] = [row / LATITUDES, column / LONGITUDES];
      const [theta, phi] = [v * Math.PI, u * 2 * Math.PI];
      const radius =
        1 + 0.08 * Math.sin(5 * phi) * Math.sin(4 * theta) + 0.02 * Math.sin(23 * theta);
      const ringRadius = Math.sin(theta) * radius;
      positions.push(
        ringRadius * Math.cos(phi),
        Math.cos(theta) * radius,
        ringRadius * Math.sin(phi),
      );
      texCoords.push(u * 4, v * 4);
      if (row === LATITUDES || column === LONGITUDES) continue;
      const index = row * (LONGITUDES + 1) + column;
      const below = index + LONGITUDES + 1;
      indices.push(index, index + 1, below, index + 1, below + 1, below);
    }
  }
  return {
    positions: new Float32Array(positions),
    texCoords: new Float32Array(texCoords),
    indices: new Uint32Array(indices),
  };
}

async function makeNoiseTexture(mean: number): Promise<Uint8Array> {
  const noise = { type: 'gaussian', mean, sigma: 30 } as const;
  const create = {
    width: TEXTURE_SIZE,
    height: TEXTURE_SIZE,
    channels: 3,
    background: '#000',
    noise,
  } as const;
  return sharp({ create }).blur(1.5).png().toBuffer();
}
