import { Problem } from '@cloche/contract/problem';
import type { mat4 } from '@gltf-transform/core';
import type { ImportedModel, ModelLocation } from '../../mesh/imported-model.ts';
import { collapseNodes, mergeHelperNodes, wrapSceneInNode } from '../../mesh/node-tree.ts';
import { convertWithAssimp } from '../assimp/convert.ts';
import { fixAssimpOutput } from '../assimp/fix-assimp-output.ts';
import {
  type FbxGlobalSettings,
  readFbxGlobalSettings,
  type SignedAxis,
} from './global-settings.ts';
import { collectFbxWarnings } from './warnings.ts';

/** The first version that assimp reads: FBX 2011. */
const MIN_VERSION = 7100;
const ASSIMP_HELPER_NAME = '_$AssimpFbx$_';

/** Imports an FBX, binary or ASCII, with its animations, skins and textures. */
export async function importFbx(bytes: Buffer, location?: ModelLocation): Promise<ImportedModel> {
  const settings = readFbxGlobalSettings(bytes);
  if (settings.version > 0 && settings.version < MIN_VERSION) {
    const detail = `The file is FBX ${settings.version / 1000}, but only FBX 7.1 (2011) and later can be read. Export it again in a newer version.`;
    throw new Problem('design.unsupported', { detail });
  }
  const document = await convertWithAssimp(bytes, 'fbx');
  const warnings = [
    ...(await fixAssimpOutput(document, location)),
    ...collectFbxWarnings(bytes, document),
  ];
  for (const material of document.getRoot().listMaterials()) {
    // In FBX a texture replaces the color; in glTF the two are multiplied.
    if (material.getBaseColorTexture()) material.setBaseColorFactor([1, 1, 1, material.getAlpha()]);
  }
  mergeHelperNodes(document, (node) => node.getName().includes(ASSIMP_HELPER_NAME));
  collapseNodes(document, (node) => node.getName() === 'RootNode');
  wrapSceneInNode(document, toGltfMatrix(settings));
  return { document, warnings };
}

/** Returns the matrix that converts to meters with Y up. The third axis is the cross product of the two. */
function toGltfMatrix({ unitScaleFactor, up, right }: FbxGlobalSettings): mat4 {
  const scale = unitScaleFactor / 100;
  const isValid = up.axis !== right.axis;
  const x = isValid ? toAxisVector(right) : [1, 0, 0];
  const y = isValid ? toAxisVector(up) : [0, 1, 0];
  const [ax = 0, ay = 0, az = 0] = x;
  const [bx = 0, by = 0, bz = 0] = y;
  const z = [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
  const columns = [0, 1, 2].map((column) => [x, y, z].map((row) => scale * (row[column] ?? 0)));
  return [...columns.flatMap((column) => [...column, 0]), 0, 0, 0, 1] as mat4;
}

function toAxisVector({ axis, sign }: SignedAxis): number[] {
  return [0, 1, 2].map((index) => (index === axis ? sign : 0));
}
