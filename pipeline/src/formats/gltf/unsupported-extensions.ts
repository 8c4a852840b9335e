import type { ProcessingWarning } from '@cloche/contract/design';
import { Problem } from '@cloche/contract/problem';
import type { Document, Node } from '@gltf-transform/core';
import type { PBRSpecularGlossiness, Visibility } from '@gltf-transform/extensions';
import { metalRough } from '@gltf-transform/functions';

const SPECULAR_GLOSSINESS = 'KHR_materials_pbrSpecularGlossiness';
const NODE_VISIBILITY = 'KHR_node_visibility';

/** The extensions that are converted to features that the viewer renders. */
export const CONVERTED_EXTENSIONS: ReadonlySet<string> = new Set([
  SPECULAR_GLOSSINESS,
  NODE_VISIBILITY,
]);
/** Image types whose pixels can be converted here. */
const DECODABLE_IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/avif']);

/** Converts extensions that the viewer does not render to features that it renders. */
export async function convertUnsupportedExtensions(
  document: Document,
): Promise<ProcessingWarning[]> {
  removeHiddenNodes(document);
  return convertSpecularGlossiness(document);
}

/** Empties hidden nodes. The nodes themselves stay, because skins and animations may need them. */
function removeHiddenNodes(document: Document): void {
  const nodes = document.getRoot().listNodes();
  const hidden = nodes.filter(
    (node) => node.getExtension<Visibility>(NODE_VISIBILITY)?.getVisible() === false,
  );
  const hadMeshes = nodes.some((node) => node.getMesh());
  for (const node of hidden) node.traverse(clearNode);
  if (hadMeshes && !nodes.some((node) => node.getMesh())) {
    throw new Problem('design.unreadable', {
      detail: 'All nodes of the glTF are hidden; make at least one with a mesh visible.',
    });
  }
  document.disposeExtension(NODE_VISIBILITY);
}

function clearNode(node: Node): void {
  node
    .setMesh(null)
    .setSkin(null)
    .setExtension('KHR_lights_punctual', null)
    .setExtension('EXT_mesh_gpu_instancing', null);
}

/** Converts specular-glossiness materials to metallic-roughness, which is nearly equivalent. */
async function convertSpecularGlossiness(document: Document): Promise<ProcessingWarning[]> {
  const glossinessExtensions = document
    .getRoot()
    .listMaterials()
    .flatMap((material) => material.getExtension<PBRSpecularGlossiness>(SPECULAR_GLOSSINESS) ?? []);
  if (glossinessExtensions.length === 0) {
    document.disposeExtension(SPECULAR_GLOSSINESS);
    return [];
  }
  const unconvertible = glossinessExtensions.filter((extension) => {
    const texture = extension.getSpecularGlossinessTexture();
    return texture && !DECODABLE_IMAGE_TYPES.has(texture.getMimeType());
  });
  for (const extension of unconvertible) extension.setSpecularGlossinessTexture(null);
  await document.transform(metalRough());
  const message =
    'Specular-glossiness materials were converted to metallic-roughness; they may look slightly different.';
  const textureMessage =
    'Specular-glossiness textures of an image format that cannot be converted were removed.';
  return [
    { code: 'material.converted', message },
    ...(unconvertible.length > 0 ? [{ code: 'texture.unsupported', message: textureMessage }] : []),
  ];
}
