import type { ProcessingWarning } from '@cloche/contract/design';
import { Problem } from '@cloche/contract/problem';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import type { Document, GLTF, Node } from '@gltf-transform/core';
import {
  ALL_EXTENSIONS,
  type PBRSpecularGlossiness,
  type Visibility,
} from '@gltf-transform/extensions';
import { metalRough } from '@gltf-transform/functions';
import { KHRMeshoptCompression } from './khr-meshopt-compression.ts';
import { RENDERED_EXTENSIONS } from './validation/extensions.ts';

const SPECULAR_GLOSSINESS = 'KHR_materials_pbrSpecularGlossiness';
const NODE_VISIBILITY = 'KHR_node_visibility';

/** What can be read is not all drawn: the one is the library's affair, the other the viewer's. */
const READABLE_EXTENSIONS = new Set(
  [...ALL_EXTENSIONS, KHRMeshoptCompression].map(({ EXTENSION_NAME }) => EXTENSION_NAME),
);
/** Made into what the viewer draws. */
const CONVERTED_EXTENSIONS = new Set([SPECULAR_GLOSSINESS, NODE_VISIBILITY]);
/** Pictures whose pixels can be changed here. */
const DECODABLE_IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/avif']);

/** Tells of each extension whose part in the look of the model is lost. */
export function collectExtensionWarnings({ extensionsUsed = [] }: GLTF.IGLTF): ProcessingWarning[] {
  return extensionsUsed.flatMap((name): ProcessingWarning[] => {
    const called = `The glTF extension ${quoteUntrusted(String(name))}`;
    if (!READABLE_EXTENSIONS.has(name))
      return [{ code: 'extension.unread', message: `${called} was not read.` }];
    if (RENDERED_EXTENSIONS.has(name) || CONVERTED_EXTENSIONS.has(name)) return [];
    return [{ code: 'extension.unshown', message: `${called} is not drawn by the viewer.` }];
  });
}

/** Makes what the viewer does not draw into what it does. */
export async function convertUnsupportedExtensions(
  document: Document,
): Promise<ProcessingWarning[]> {
  removeHiddenNodes(document);
  return convertSpecularGlossiness(document);
}

/** Takes what hidden nodes would show; the nodes stay, as skins and animations may need them. */
function removeHiddenNodes(document: Document): void {
  const nodes = document.getRoot().listNodes();
  const hidden = nodes.filter(
    (node) => node.getExtension<Visibility>(NODE_VISIBILITY)?.getVisible() === false,
  );
  const wasSeen = nodes.some((node) => node.getMesh());
  for (const node of hidden) node.traverse(clearNode);
  if (wasSeen && !nodes.some((node) => node.getMesh())) {
    throw new Problem('design.unreadable', { detail: 'All that the glTF has is hidden.' });
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

/** Specular and gloss, as of old, become metal and roughness; almost the same, but not quite. */
async function convertSpecularGlossiness(document: Document): Promise<ProcessingWarning[]> {
  const glosses = document
    .getRoot()
    .listMaterials()
    .flatMap((material) => material.getExtension<PBRSpecularGlossiness>(SPECULAR_GLOSSINESS) ?? []);
  if (glosses.length === 0) {
    document.disposeExtension(SPECULAR_GLOSSINESS);
    return [];
  }
  const lost = glosses.filter((gloss) => {
    const texture = gloss.getSpecularGlossinessTexture();
    return texture && !DECODABLE_IMAGE_TYPES.has(texture.getMimeType());
  });
  for (const gloss of lost) gloss.setSpecularGlossinessTexture(null);
  await document.transform(metalRough());
  const message =
    'Materials with specular and gloss were converted to metal and roughness: they may look a little different.';
  const pictures = 'Pictures of specular and gloss are of a kind that could not be converted.';
  return [
    { code: 'material.converted', message },
    ...(lost.length > 0 ? [{ code: 'texture.unsupported', message: pictures }] : []),
  ];
}
