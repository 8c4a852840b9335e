import { posix } from 'node:path';
import type { ProcessingWarning } from '@cloche/contract/design';
import type { Document, Primitive } from '@gltf-transform/core';
import { addPrimitive } from '../../mesh/add-primitive.ts';
import { srgbToLinear, toLinearColor } from '../../mesh/color.ts';
import { DEFAULT_ROUGHNESS } from '../../mesh/default-material.ts';
import type { ModelLocation } from '../../mesh/imported-model.ts';
import type { MeshGeometry } from '../../mesh/mesh-geometry.ts';
import { createTextureLoader } from '../../mesh/texture-loader.ts';

/** What assimp adds to every material, with values that no file has said. */
const SPURIOUS_EXTENSIONS = ['KHR_materials_ior', 'KHR_materials_volume'];

/** Puts right what assimp's GLB has wrong: pictures, colours, gloss, normals and its own marks. */
export async function fixAssimpOutput(
  document: Document,
  place?: ModelLocation,
): Promise<ProcessingWarning[]> {
  const root = document.getRoot();
  for (const extension of root.listExtensionsUsed()) {
    if (SPURIOUS_EXTENSIONS.includes(extension.extensionName)) extension.dispose();
  }
  for (const node of root.listNodes()) node.setExtras({});
  for (const material of root.listMaterials()) {
    const [red, green, blue, alpha] = material.getBaseColorFactor();
    material
      .setBaseColorFactor([...toLinearColor([red, green, blue]), alpha])
      .setEmissiveFactor(toLinearColor(material.getEmissiveFactor()))
      .setExtras({});
    if (material.getRoughnessFactor() === 1) material.setRoughnessFactor(DEFAULT_ROUGHNESS);
  }
  for (const mesh of root.listMeshes())
    for (const primitive of mesh.listPrimitives()) addNormals(document, primitive);
  return loadTextures(document, place);
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
  const geometry: MeshGeometry = {
    positions: Float32Array.from(positions),
    indices: Uint32Array.from(indices),
    texCoords: coordinates ? Float32Array.from(coordinates) : undefined,
    colors: colours
      ? Uint16Array.from(colours, (value) => Math.round(65535 * srgbToLinear(value)))
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
async function loadTextures(
  document: Document,
  place?: ModelLocation,
): Promise<ProcessingWarning[]> {
  const warnings: ProcessingWarning[] = [];
  const textures = createTextureLoader(document, warnings, place);
  for (const texture of document.getRoot().listTextures()) {
    const image = texture.getImage();
    const name = texture.getName();
    const found = image?.length
      ? await textures.embed(Buffer.from(image), name)
      : await textures.load(name);
    for (const parent of texture.listParents())
      if (found && parent !== document.getRoot()) parent.swap(texture, found);
    texture.dispose();
    found?.setName(posix.basename(name.replaceAll('\\', '/')));
  }
  return warnings;
}
