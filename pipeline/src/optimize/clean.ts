import type { ProcessingWarning } from '@cloche/contract/design';
import { type Document, type Node, PropertyType } from '@gltf-transform/core';
import { convertPrimitiveToTriangles, dedup, prune, unpartition } from '@gltf-transform/functions';
import { dedupMaterials } from './dedup-materials.ts';
import { dedupMeshes } from './dedup-meshes.ts';
import { dedupAccessors, dedupTextures } from './dedup-resources.ts';
import { disposeTree } from './dispose-tree.ts';
import { dropUnusedAttributes } from './drop-unused-attributes.ts';
import { findDefaultScene } from './model-counts.ts';
import { isTriangleStripOrFan } from './primitive-modes.ts';

/** Compression that a source file may use. The writer compresses the model again. */
const COMPRESSION_EXTENSIONS = ['KHR_draco_mesh_compression', 'EXT_meshopt_compression'];

/** Removes data that is not rendered and merges duplicates. The rendered image does not change. */
export async function clean(document: Document): Promise<ProcessingWarning[]> {
  for (const name of COMPRESSION_EXTENSIONS) document.disposeExtension(name);
  const warnings = dropUnusedScenes(document);
  for (const mesh of document.getRoot().listMeshes()) {
    for (const primitive of mesh.listPrimitives()) {
      if (isTriangleStripOrFan(primitive)) convertPrimitiveToTriangles(primitive);
    }
  }
  await document.transform(pruneUnused());
  dropUnusedAttributes(document);
  dedupAccessors(document);
  dedupTextures(document);
  await document.transform(dedup({ propertyTypes: [PropertyType.SKIN] }));
  dedupMaterials(document);
  dedupMeshes(document);
  dropEmptyLeaves(document);
  await document.transform(pruneUnused(), unpartition());
  return warnings;
}

/**
 * Removes unreferenced properties. Three options of glTF-Transform are off: removing attributes
 * ignores the materials of variants, removing solid textures decodes all textures, and removing
 * leaves removes named nodes too.
 */
export function pruneUnused() {
  return prune({ keepAttributes: true, keepSolidTextures: true, keepLeaves: true });
}

/** Removes all scenes but the default scene, the only one that the viewer shows. */
function dropUnusedScenes(document: Document): ProcessingWarning[] {
  const defaultScene = findDefaultScene(document);
  const scenes = document.getRoot().listScenes();
  const unusedScenes = scenes.filter((scene) => scene !== defaultScene);
  if (unusedScenes.length === 0 || defaultScene === undefined) return [];
  const nodes = new Set(unusedScenes.flatMap((scene) => scene.listChildren()));
  for (const scene of unusedScenes) scene.dispose();
  for (const node of nodes) if (!hasSceneOrNodeParent(node)) disposeTree(node);
  document.getRoot().setDefaultScene(defaultScene);
  const message = `The file has ${scenes.length} scenes; only the default scene was kept.`;
  return [{ code: 'scenes.dropped', message }];
}

function hasSceneOrNodeParent(node: Node): boolean {
  return node
    .listParents()
    .some((parent) => parent.propertyType === 'Scene' || parent.propertyType === 'Node');
}

/** Removes leaf nodes without name, content and references. A named leaf may mark a position. */
function dropEmptyLeaves(document: Document): void {
  const { ROOT, SCENE, NODE } = PropertyType;
  const hierarchyTypes: ReadonlySet<string> = new Set([ROOT, SCENE, NODE]);
  const visit = (node: Node): void => {
    node.listChildren().forEach(visit);
    const isEmpty = document.getGraph().listChildren(node).length === 0 && node.getName() === '';
    const isUsed = node.listParents().some((parent) => !hierarchyTypes.has(parent.propertyType));
    if (isEmpty && !isUsed && Object.keys(node.getExtras()).length === 0) node.dispose();
  };
  for (const scene of document.getRoot().listScenes()) scene.listChildren().forEach(visit);
}
