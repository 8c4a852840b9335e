import { Problem } from '@cloche/contract/problem';
import type { Document, GLTF, Node } from '@gltf-transform/core';
import {
  ALL_EXTENSIONS,
  type PBRSpecularGlossiness,
  type Visibility,
} from '@gltf-transform/extensions';
import { metalRough } from '@gltf-transform/functions';
import { KHRMeshoptReader } from '../khr-meshopt.ts';
import { SUPPORTED } from '../preflight/extensions.ts';
import { quote } from '../preflight/quote.ts';
import type { Warning } from '../report.ts';

const GLOSS = 'KHR_materials_pbrSpecularGlossiness';
const VISIBILITY = 'KHR_node_visibility';

/** What can be read is not all drawn: the one is the library's affair, the other the viewer's. */
const READ = new Set(
  [...ALL_EXTENSIONS, KHRMeshoptReader].map(({ EXTENSION_NAME }) => EXTENSION_NAME),
);
/** Made into what the viewer draws. */
const CONVERTED = new Set([GLOSS, VISIBILITY]);
/** Pictures whose pixels can be changed here. */
const PIXELS = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/avif']);

/** Tells of each extension whose part in the look of the model is lost. */
export function tellExtensions({ extensionsUsed = [] }: GLTF.IGLTF): Warning[] {
  return extensionsUsed.flatMap((name): Warning[] => {
    const called = `The glTF extension ${quote(String(name))}`;
    if (!READ.has(name)) return [{ code: 'extension.unread', message: `${called} was not read.` }];
    if (SUPPORTED.has(name) || CONVERTED.has(name)) return [];
    return [{ code: 'extension.unshown', message: `${called} is not drawn by the viewer.` }];
  });
}

/** Makes what the viewer does not draw into what it does. */
export async function convertUnshown(document: Document): Promise<Warning[]> {
  dropHidden(document);
  return convertGloss(document);
}

/** Takes what hidden nodes would show; the nodes stay, as skins and animations may need them. */
function dropHidden(document: Document): void {
  const nodes = document.getRoot().listNodes();
  const hidden = nodes.filter(
    (node) => node.getExtension<Visibility>(VISIBILITY)?.getVisible() === false,
  );
  const wasSeen = nodes.some((node) => node.getMesh());
  for (const node of hidden) node.traverse(empty);
  if (wasSeen && !nodes.some((node) => node.getMesh())) {
    throw new Problem('design.unreadable', { detail: 'All that the glTF has is hidden.' });
  }
  document.disposeExtension(VISIBILITY);
}

function empty(node: Node): void {
  node
    .setMesh(null)
    .setSkin(null)
    .setExtension('KHR_lights_punctual', null)
    .setExtension('EXT_mesh_gpu_instancing', null);
}

/** Specular and gloss, as of old, become metal and roughness; almost the same, but not quite. */
async function convertGloss(document: Document): Promise<Warning[]> {
  const glosses = document
    .getRoot()
    .listMaterials()
    .flatMap((material) => material.getExtension<PBRSpecularGlossiness>(GLOSS) ?? []);
  if (glosses.length === 0) {
    document.disposeExtension(GLOSS);
    return [];
  }
  const lost = glosses.filter((gloss) => {
    const texture = gloss.getSpecularGlossinessTexture();
    return texture && !PIXELS.has(texture.getMimeType());
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
