import { createGrowableIndices } from '../../mesh/growable-array.ts';
import { readXmlTags, type XmlTag } from '../../validation/xml.ts';
import type { ModelArchive } from '../../validation/zip/model-archive.ts';
import { type ModelObject, type ModelPart, NUMBERS_PER_TRIANGLE } from './model-part.ts';

/** In this file PrusaSlicer describes the parts of each object: ranges of the triangles of its mesh. */
const CONFIG_PATH = 'Metadata/Slic3r_PE_model.config';

/** The first and last index of the triangles of a volume. */
type Volume = { objectId: string; first: number; last: number };

/**
 * Removes the triangles of modifiers, negative volumes, and blockers and enforcers of supports. They
 * change how an object is printed, and are not part of it.
 */
export async function removePrintingVolumes(archive: ModelArchive, part: ModelPart): Promise<void> {
  const path = archive.find(CONFIG_PATH);
  if (path === undefined) return;
  const volumes = listPrintingVolumes((await archive.read(path)).toString('utf8'));
  for (const [objectId, objectVolumes] of Map.groupBy(volumes, (volume) => volume.objectId)) {
    const object = part.objects.get(objectId);
    if (object) removeTriangles(object, objectVolumes);
  }
}

function listPrintingVolumes(config: string): Set<Volume> {
  const volumes = new Set<Volume>();
  let objectId = '';
  let volume: Volume | undefined;
  for (const tag of readXmlTags(config)) {
    if (tag.isEndTag) continue;
    if (tag.localName === 'object') objectId = tag.getAttribute('id') ?? '';
    else if (tag.localName === 'volume') volume = parseVolume(tag, objectId);
    else if (volume && isPrintingMetadata(tag)) volumes.add(volume);
  }
  return volumes;
}

/** Older versions write `modifier`, newer ones `volume_type`. */
function isPrintingMetadata(tag: XmlTag): boolean {
  if (tag.localName !== 'metadata' || tag.getAttribute('type') !== 'volume') return false;
  const value = tag.getAttribute('value');
  const key = tag.getAttribute('key');
  return key === 'volume_type' ? value !== 'ModelPart' : key === 'modifier' && value === '1';
}

function parseVolume(tag: XmlTag, objectId: string): Volume | undefined {
  const [first, last] = ['firstid', 'lastid'].map((name) => Number(tag.getAttribute(name) ?? NaN));
  const isRange = Number.isInteger(first) && Number.isInteger(last);
  if (first === undefined || last === undefined || !isRange) return undefined;
  return first >= 0 && last >= first ? { objectId, first, last } : undefined;
}

/** Removes these triangles of an object, unless nothing would be left of it. */
function removeTriangles(object: ModelObject, volumes: readonly Volume[]): void {
  const count = object.triangles.length / NUMBERS_PER_TRIANGLE;
  /** How many more volumes a triangle is in than the one before it, so that the time is linear. */
  const changes = new Int32Array(count + 1);
  for (const { first, last } of volumes) {
    if (first >= count) continue;
    (changes[first] as number)++;
    (changes[Math.min(last + 1, count)] as number)--;
  }
  const kept = createGrowableIndices();
  let depth = 0;
  for (let triangle = 0; triangle < count; triangle++) {
    depth += changes[triangle] as number;
    if (depth > 0) continue;
    const start = triangle * NUMBERS_PER_TRIANGLE;
    for (let index = 0; index < NUMBERS_PER_TRIANGLE; index++) {
      kept.push(object.triangles.at(start + index));
    }
  }
  if (kept.length > 0) object.triangles = kept;
}
