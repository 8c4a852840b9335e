import { posix } from 'node:path';
import type { Document, Primitive } from '@gltf-transform/core';
import type { Warning } from '../../report.ts';
import type { Geometry } from '../geometry.ts';
import type { Place } from '../imported.ts';
import { addPrimitive, linearColour, PLAIN_ROUGHNESS, toLinear } from '../scene.ts';
import { openTextures } from '../textures.ts';

/** What assimp adds to every material, with values that no file has said. */
const ADDED = ['KHR_materials_ior', 'KHR_materials_volume'];

/** Puts right what assimp's GLB has wrong: pictures, colours, gloss, normals and its own marks. */
export async function repair(document: Document, place?: Place): Promise<Warning[]> {
  const root = document.getRoot();
  for (const extension of root.listExtensionsUsed()) {
    if (ADDED.includes(extension.extensionName)) extension.dispose();
  }
  for (const node of root.listNodes()) node.setExtras({});
  for (const material of root.listMaterials()) {
    const [red, green, blue, alpha] = material.getBaseColorFactor();
    material
      .setBaseColorFactor([...linearColour([red, green, blue]), alpha])
      .setEmissiveFactor(linearColour(material.getEmissiveFactor()))
      .setExtras({});
    if (material.getRoughnessFactor() === 1) material.setRoughnessFactor(PLAIN_ROUGHNESS);
  }
  for (const mesh of root.listMeshes())
    for (const primitive of mesh.listPrimitives()) addNormals(document, primitive);
  return fillPictures(document, place);
}

/** Normals where the file has none. Skinned and morphed meshes keep their vertices: theirs are left. */
function addNormals(document: Document, primitive: Primitive): void {
  const plain = ['POSITION', 'TEXCOORD_0', 'COLOR_0'];
  const isPlain = primitive.listSemantics().every((semantic) => plain.includes(semantic));
  const positions = primitive.getAttribute('POSITION')?.getArray();
  const indices = primitive.getIndices()?.getArray();
  if (!isPlain || primitive.getMode() !== 4 || !positions || !indices) return;
  const coordinates = primitive.getAttribute('TEXCOORD_0')?.getArray();
  const colours = primitive.getAttribute('COLOR_0')?.getArray();
  const geometry: Geometry = {
    positions: Float32Array.from(positions),
    indices: Uint32Array.from(indices),
    coordinates: coordinates ? Float32Array.from(coordinates) : undefined,
    colours: colours
      ? Uint16Array.from(colours, (value) => Math.round(65535 * toLinear(value)))
      : undefined,
  };
  const scratch = document.createMesh();
  const made = addPrimitive(document, scratch, { geometry, material: primitive.getMaterial() });
  for (const semantic of made.listSemantics())
    primitive.setAttribute(semantic, made.getAttribute(semantic));
  primitive.setIndices(made.getIndices());
  made.dispose();
  scratch.dispose();
}

/** Pictures that the model only names are looked for beside it. */
async function fillPictures(document: Document, place?: Place): Promise<Warning[]> {
  const warnings: Warning[] = [];
  const textures = openTextures(document, warnings, place);
  for (const texture of document.getRoot().listTextures()) {
    const image = texture.getImage();
    const name = texture.getName();
    const found = image?.length
      ? await textures.embed(Buffer.from(image), name)
      : await textures.find(name);
    for (const parent of texture.listParents())
      if (found && parent !== document.getRoot()) parent.swap(texture, found);
    texture.dispose();
    found?.setName(posix.basename(name.replaceAll('\\', '/')));
  }
  return warnings;
}
