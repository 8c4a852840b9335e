import { posix } from 'node:path';
import type { ProcessingWarning } from '@cloche/contract/design';
import type { Accessor, Document, Primitive } from '@gltf-transform/core';
import { addPrimitive } from '../../mesh/add-primitive.ts';
import { srgbToLinear, toLinearColor } from '../../mesh/color.ts';
import { DEFAULT_ROUGHNESS } from '../../mesh/default-material.ts';
import type { ModelLocation } from '../../mesh/imported-model.ts';
import type { MeshGeometry } from '../../mesh/mesh-geometry.ts';
import { createTextureLoader } from '../../mesh/texture-loader.ts';

/** The primitive mode of triangles, as in glTF. */
const TRIANGLES = 4;
/** Extensions that assimp adds to every material, with values that the file does not contain. */
const SPURIOUS_EXTENSIONS = ['KHR_materials_ior', 'KHR_materials_volume'];
/** A primitive with other attributes, such as joints, is not changed: its vertices cannot be split. */
const SIMPLE_ATTRIBUTES = ['POSITION', 'TEXCOORD_0', 'COLOR_0'];

/** Corrects the textures, colors, roughness, normals and `extras` in the GLB that assimp writes. */
export async function fixAssimpOutput(
  document: Document,
  location?: ModelLocation,
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
      // As in default-material.ts: these formats do not say which sides of a surface are visible.
      .setDoubleSided(true)
      .setExtras({});
    if (material.getRoughnessFactor() === 1) material.setRoughnessFactor(DEFAULT_ROUGHNESS);
  }
  const primitives = root.listMeshes().flatMap((mesh) => mesh.listPrimitives());
  const colors = primitives.flatMap((primitive) => primitive.getAttribute('COLOR_0') ?? []);
  for (const accessor of new Set(colors)) convertToLinear(accessor);
  for (const primitive of primitives) addNormals(document, primitive);
  return loadTextures(document, location);
}

/** Converts vertex colors from sRGB, which these formats have. Alpha is linear. */
function convertToLinear(colors: Accessor): void {
  const color: number[] = [];
  for (let index = 0; index < colors.getCount(); index++) {
    const [red = 0, green = 0, blue = 0, ...alpha] = colors.getElement<number[]>(index, color);
    colors.setElement(index, [...[red, green, blue].map(srgbToLinear), ...alpha]);
  }
}

/** Adds normals to a primitive that has none, unless it is skinned or has other attributes. */
function addNormals(document: Document, primitive: Primitive): void {
  const isSimple = primitive
    .listSemantics()
    .every((semantic) => SIMPLE_ATTRIBUTES.includes(semantic));
  const positions = primitive.getAttribute('POSITION')?.getArray();
  const indices = primitive.getIndices()?.getArray();
  if (!isSimple || primitive.getMode() !== TRIANGLES || !positions || !indices) return;
  const texCoords = primitive.getAttribute('TEXCOORD_0')?.getArray();
  const colors = primitive.getAttribute('COLOR_0')?.getArray();
  const geometry: MeshGeometry = {
    positions: Float32Array.from(positions),
    indices: Uint32Array.from(indices),
    texCoords: texCoords ? Float32Array.from(texCoords) : undefined,
    colors: colors ? Uint16Array.from(colors, (value) => Math.round(65535 * value)) : undefined,
  };
  const temporaryMesh = document.createMesh();
  const withNormals = addPrimitive(document, temporaryMesh, {
    geometry,
    material: primitive.getMaterial(),
  });
  for (const semantic of withNormals.listSemantics())
    primitive.setAttribute(semantic, withNormals.getAttribute(semantic));
  primitive.setIndices(withNormals.getIndices());
  withNormals.dispose();
  temporaryMesh.dispose();
}

/** Loads external textures from the archive of the model, and embeds the images that are there. */
async function loadTextures(
  document: Document,
  location?: ModelLocation,
): Promise<ProcessingWarning[]> {
  const warnings: ProcessingWarning[] = [];
  const loader = createTextureLoader(document, warnings, location);
  for (const texture of document.getRoot().listTextures()) {
    const image = texture.getImage();
    const name = texture.getName();
    const replacement = image?.length
      ? await loader.embed(Buffer.from(image), name)
      : await loader.load(name);
    for (const parent of texture.listParents())
      if (replacement && parent !== document.getRoot()) parent.swap(texture, replacement);
    texture.dispose();
    replacement?.setName(posix.basename(name.replaceAll('\\', '/')));
  }
  return warnings;
}
