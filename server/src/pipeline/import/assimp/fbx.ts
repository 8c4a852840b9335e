import { Problem } from '@cloche/contract/problem';
import type { mat4 } from '@gltf-transform/core';
import type { Imported, Place } from '../imported.ts';
import { convert } from './convert.ts';
import { type FbxSettings, readFbxSettings, type SignedAxis } from './fbx-settings.ts';
import { tellFbx } from './fbx-unread.ts';
import { repair } from './repair.ts';
import { liftIdle, mergeHelpers, putBelow } from './tree.ts';

/** The first version that the library reads: FBX 2011. */
const OLDEST = 7100;
const HELPER = '_$AssimpFbx$_';

/** Reads FBX, binary or ASCII, with its animations, skins and pictures. */
export async function readFbx(bytes: Buffer, place?: Place): Promise<Imported> {
  const settings = readFbxSettings(bytes);
  if (settings.version > 0 && settings.version < OLDEST) {
    const detail = `This is FBX ${settings.version / 1000}; only FBX 7.1 (2011) and later can be read. Save it anew.`;
    throw new Problem('design.unsupported', { detail });
  }
  const document = await convert(bytes, 'fbx');
  const warnings = [...(await repair(document, place)), ...tellFbx(bytes, document)];
  for (const material of document.getRoot().listMaterials()) {
    // In FBX a picture takes the place of the colour.
    if (material.getBaseColorTexture()) material.setBaseColorFactor([1, 1, 1, material.getAlpha()]);
  }
  mergeHelpers(document, (node) => node.getName().includes(HELPER));
  liftIdle(document, (node) => node.getName() === 'RootNode');
  putBelow(document, uprightMatrix(settings));
  return { document, warnings };
}

/** From the file's unit and axes to metres with Y up; the third axis follows from two. */
function uprightMatrix({ unit, up, right }: FbxSettings): mat4 {
  const scale = unit / 100;
  const areAxes = up.axis !== right.axis;
  const x = areAxes ? direction(right) : [1, 0, 0];
  const y = areAxes ? direction(up) : [0, 1, 0];
  const [ax = 0, ay = 0, az = 0] = x;
  const [bx = 0, by = 0, bz = 0] = y;
  const z = [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
  const columns = [0, 1, 2].map((at) => [x, y, z].map((row) => scale * (row[at] ?? 0)));
  return [...columns.flatMap((column) => [...column, 0]), 0, 0, 0, 1] as mat4;
}

function direction({ axis, sign }: SignedAxis): number[] {
  return [0, 1, 2].map((each) => (each === axis ? sign : 0));
}
