import type { Document } from '@gltf-transform/core';
import type { ImportedModel, ModelLocation } from '../../mesh/imported-model.ts';
import { collapseNodes, listSceneRoots } from '../../mesh/node-tree.ts';
import { readXmlTags } from '../../validation/xml.ts';
import { convertWithAssimp } from '../assimp/convert.ts';
import { fixAssimpOutput } from '../assimp/fix-assimp-output.ts';
import { DaeFeatureDetector } from './warnings.ts';

const NAMED_ELEMENTS: ReadonlySet<string> = new Set(['node', 'geometry', 'visual_scene']);

/** Imports a COLLADA. The library itself applies the unit and the up axis, at the root node. */
export async function importDae(bytes: Buffer, location?: ModelLocation): Promise<ImportedModel> {
  const document = await convertWithAssimp(bytes, 'dae');
  const warnings = await fixAssimpOutput(document, location);
  const features = new DaeFeatureDetector();
  setNames(document, readNames(bytes.toString('utf8'), features));
  const roots = listSceneRoots(document);
  collapseNodes(document, (node) => roots.includes(node));
  return { document, warnings: [...warnings, ...features.collectWarnings(document)] };
}

/** Reads the names by id, because the library names nodes and meshes by their ids. */
function readNames(text: string, features: DaeFeatureDetector): Map<string, string> {
  const names = new Map<string, string>();
  for (const tag of readXmlTags(text)) {
    features.visit(tag);
    if (tag.isEndTag || !NAMED_ELEMENTS.has(tag.localName)) continue;
    const [id, name] = [tag.getAttribute('id'), tag.getAttribute('name')];
    if (id !== undefined && name) names.set(id, name);
  }
  return names;
}

function setNames(document: Document, names: ReadonlyMap<string, string>): void {
  const root = document.getRoot();
  for (const item of [...root.listNodes(), ...root.listMeshes()])
    item.setName(names.get(item.getName()) ?? item.getName());
}
