import type { Document } from '@gltf-transform/core';
import type { ImportedModel, ModelLocation } from '../../mesh/imported-model.ts';
import { collapseIdleNodes, listSceneRoots } from '../../mesh/node-tree.ts';
import { readXmlTags } from '../../validation/xml.ts';
import { convertWithAssimp } from '../assimp/convert.ts';
import { fixAssimpOutput } from '../assimp/fix-assimp-output.ts';
import { DaeFeatureDetector } from './warnings.ts';

/** Reads COLLADA. The library applies the unit and the up axis itself, at the root. */
export async function importDae(bytes: Buffer, place?: ModelLocation): Promise<ImportedModel> {
  const document = await convertWithAssimp(bytes, 'dae');
  const warnings = await fixAssimpOutput(document, place);
  const notes = new DaeFeatureDetector();
  const names = readNames(bytes.toString('utf8'), notes);
  setNames(document, names);
  const roots = listSceneRoots(document);
  collapseIdleNodes(document, (node) => roots.includes(node));
  return { document, warnings: [...warnings, ...notes.collectWarnings(document)] };
}

/** The library calls things by their ids; what people called them is beside these in the file. */
function readNames(text: string, notes: DaeFeatureDetector): Map<string, string> {
  const names = new Map<string, string>();
  for (const tag of readXmlTags(text)) {
    notes.visit(tag);
    if (
      tag.isEndTag ||
      (tag.localName !== 'node' && tag.localName !== 'geometry' && tag.localName !== 'visual_scene')
    )
      continue;
    const [id, name] = [tag.getAttribute('id'), tag.getAttribute('name')];
    if (id !== undefined && name) names.set(id, name);
  }
  return names;
}

function setNames(document: Document, names: ReadonlyMap<string, string>): void {
  const root = document.getRoot();
  for (const thing of [...root.listNodes(), ...root.listMeshes()]) {
    thing.setName(names.get(thing.getName()) ?? thing.getName());
  }
}
