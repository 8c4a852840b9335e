import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { makeBox } from '@cloche/pipeline/testing/models';
import { makeBuildingIfc } from './models/building.ts';
import { makeScanPly } from './models/scan.ts';
import { makeStone } from './models/stone.ts';

/** A source file, before processing. */
export type SourceModel = {
  name: string;
  extension: string;
  detail: string;
  read: () => Promise<Uint8Array>;
};

/** Sorted as in the documentation; models that are not here follow. */
const ORDER = ['Box', 'Stone', 'Fox', 'WaterBottle', 'FlightHelmet', 'Tower', 'Building', 'Scan'];

/** With the header of the JSON chunk, which is the first one. */
const GLB_HEADER_BYTES = 20;
const GLB_MAGIC = 0x46546c67;

/** Lists the models: those that are made by code, and all in the folder `CLOCHE_BENCH_MODELS`. */
export async function listSourceModels(): Promise<SourceModel[]> {
  const models = [...(await listFolder(process.env.CLOCHE_BENCH_MODELS)), ...GENERATED_MODELS];
  const unique = models.filter(
    ({ name }, index) => models.findIndex((other) => other.name === name) === index,
  );
  const rank = ({ name }: SourceModel) =>
    ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length;
  return unique.sort((a, b) => rank(a) - rank(b));
}

/** Says whether a GLB file has images. Files of other formats have none here. */
export function hasTextures(file: Uint8Array): boolean {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.byteLength < GLB_HEADER_BYTES || view.getUint32(0, true) !== GLB_MAGIC) return false;
  const jsonBytes = file.subarray(GLB_HEADER_BYTES, GLB_HEADER_BYTES + view.getUint32(12, true));
  const { images = [] } = JSON.parse(new TextDecoder().decode(jsonBytes)) as { images?: unknown[] };
  return images.length > 0;
}

const GENERATED_MODELS: readonly SourceModel[] = [
  {
    name: 'Box',
    extension: '.glb',
    detail: 'one box',
    read: async () => makeBox(),
  },
  {
    name: 'Stone',
    extension: '.glb',
    detail: '8 k triangles, one texture of 512²',
    read: () => makeStone({ rows: 50, columns: 80, textureSize: 512, textures: 1 }),
  },
  {
    name: 'LargeStone',
    extension: '.glb',
    detail: '128 k triangles, three textures of 1024²',
    read: () => makeStone({ rows: 200, columns: 320, textureSize: 1024, textures: 3 }),
  },
  {
    name: 'Building',
    extension: '.ifc',
    detail: 'IFC, 1,600 walls and slabs',
    read: async () => makeBuildingIfc(),
  },
  {
    name: 'Scan',
    extension: '.ply',
    detail: 'PLY, 5 M triangles with colors',
    read: async () => makeScanPly(5_000_000),
  },
];

async function listFolder(folder: string | undefined): Promise<SourceModel[]> {
  if (!folder) return [];
  const names = (await readdir(folder)).filter((name) => extname(name) === '.glb');
  return names.map((fileName) => ({
    name: fileName.slice(0, -extname(fileName).length),
    extension: extname(fileName),
    detail: 'glTF',
    read: () => readFile(join(folder, fileName)),
  }));
}
