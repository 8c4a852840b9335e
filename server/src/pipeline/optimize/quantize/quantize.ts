import type { Document } from '@gltf-transform/core';
import { KHRMeshQuantization } from '@gltf-transform/extensions';
import { pruneUnused } from '../clean.ts';
import { quantizeOthers } from './others.ts';
import { type PositionBits, quantizePositions } from './positions.ts';
import { quantizeTexCoords } from './texcoords.ts';

/** Rounds what vertices hold to whole numbers of two bytes or one. What is whole already stays. */
export async function quantize(document: Document, bits: PositionBits): Promise<void> {
  quantizePositions(document, bits);
  quantizeTexCoords(document);
  quantizeOthers(document);
  await document.transform(pruneUnused());
  // Normals are rounded when they are packed.
  document.createExtension(KHRMeshQuantization).setRequired(true);
}
