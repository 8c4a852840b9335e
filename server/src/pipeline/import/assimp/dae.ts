import type { Document } from '@gltf-transform/core';
import type { Imported, Place } from '../imported.ts';
import { readTags } from '../xml.ts';
import { convert } from './convert.ts';
import { DaeNotes } from './dae-unread.ts';
import { repair } from './repair.ts';
import { findRoots, liftIdle } from './tree.ts';

/** Reads COLLADA. The library applies the unit and the up axis itself, at the root. */
export async function readDae(bytes: Buffer, place?: Place): Promise<Imported> {
  const document = await convert(bytes, 'dae');
  const warnings = await repair(document, place);
  const notes = new DaeNotes();
  const names = readNames(bytes.toString('utf8'), notes);
  giveNames(document, names);
  const roots = findRoots(document);
  liftIdle(document, (node) => roots.includes(node));
  return { document, warnings: [...warnings, ...notes.tell(document)] };
}

/** The library calls things by their ids; what people called them is beside these in the file. */
function readNames(text: string, notes: DaeNotes): Map<string, string> {
  const names = new Map<string, string>();
  for (const tag of readTags(text)) {
    notes.see(tag);
    if (
      tag.closes ||
      (tag.name !== 'node' && tag.name !== 'geometry' && tag.name !== 'visual_scene')
    )
      continue;
    const [id, name] = [tag.get('id'), tag.get('name')];
    if (id !== undefined && name) names.set(id, name);
  }
  return names;
}

function giveNames(document: Document, names: ReadonlyMap<string, string>): void {
  const root = document.getRoot();
  for (const thing of [...root.listNodes(), ...root.listMeshes()]) {
    thing.setName(names.get(thing.getName()) ?? thing.getName());
  }
}
