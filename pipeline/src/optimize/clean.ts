import type { ProcessingWarning } from '@cloche/contract/design';
import { type Document, type Node, PropertyType } from '@gltf-transform/core';
import { convertPrimitiveToTriangles, dedup, prune, unpartition } from '@gltf-transform/functions';
import { dedupMeshes } from './dedup-meshes.ts';
import { dropUnusedAttributes } from './drop-unused-attributes.ts';
import { findDefaultScene } from './model-counts.ts';

/** How the upload was packed: said again, if at all, when the result is written. */
const COMPRESSION_EXTENSIONS = ['KHR_draco_mesh_compression', 'EXT_meshopt_compression'];

/** Drops what nobody can see, and says equal things once. Nothing looks different. */
export async function clean(document: Document): Promise<ProcessingWarning[]> {
  for (const name of COMPRESSION_EXTENSIONS) document.disposeExtension(name);
  const warnings = dropUnusedScenes(document);
  for (const mesh of document.getRoot().listMeshes()) {
    for (const primitive of mesh.listPrimitives()) {
      if (primitive.getMode() > 4) convertPrimitiveToTriangles(primitive);
    }
  }
  await document.transform(pruneUnused());
  dropUnusedAttributes(document);
  const { ACCESSOR, TEXTURE, SKIN, MATERIAL } = PropertyType;
  await document.transform(
    dedup({ propertyTypes: [ACCESSOR, TEXTURE, SKIN] }),
    // People and variants know materials by their names.
    dedup({ propertyTypes: [MATERIAL], keepUniqueNames: true }),
  );
  dedupMeshes(document);
  dropEmptyLeaves(document);
  await document.transform(pruneUnused(), unpartition());
  return warnings;
}

/**
 * Removes what nothing refers to. Not glTF-Transform's own removal of attributes, which does not
 * know the materials of variants, nor of textures of one colour, which decodes all of them twice.
 */
export function pruneUnused() {
  return prune({ keepAttributes: true, keepSolidTextures: true, keepLeaves: true });
}

/** The viewer shows one scene. */
function dropUnusedScenes(document: Document): ProcessingWarning[] {
  const shown = findDefaultScene(document);
  const others = document
    .getRoot()
    .listScenes()
    .filter((scene) => scene !== shown);
  if (others.length === 0 || shown === undefined) return [];
  for (const scene of others) {
    const only = scene.listChildren();
    scene.dispose();
    for (const node of only) if (!hasSceneOrNodeParent(node)) disposeTree(node);
  }
  document.getRoot().setDefaultScene(shown);
  const message = `The file has ${others.length + 1} scenes; only the one it shows first was kept.`;
  return [{ code: 'scenes.dropped', message }];
}

function hasSceneOrNodeParent(node: Node): boolean {
  return node.listParents().some((it) => it.propertyType === 'Scene' || it.propertyType === 'Node');
}

function disposeTree(node: Node): void {
  for (const child of node.listChildren()) disposeTree(child);
  node.dispose();
}

/** A node without a name, content or use says nothing; one with a name may be a place to point at. */
function dropEmptyLeaves(document: Document): void {
  const { ROOT, SCENE, NODE } = PropertyType;
  const structural: ReadonlySet<string> = new Set([ROOT, SCENE, NODE]);
  const visit = (node: Node): void => {
    node.listChildren().forEach(visit);
    const empty = document.getGraph().listChildren(node).length === 0 && node.getName() === '';
    const used = node.listParents().some((parent) => !structural.has(parent.propertyType));
    if (empty && !used && Object.keys(node.getExtras()).length === 0) node.dispose();
  };
  for (const scene of document.getRoot().listScenes()) scene.listChildren().forEach(visit);
}
