import { type Document, PropertyType } from '@gltf-transform/core';
import { KHRMeshQuantization } from '@gltf-transform/extensions';
import { dedup } from '@gltf-transform/functions';
import { pruneUnused } from '../clean.ts';
import { quantizeOtherAttributes } from './other-attributes.ts';
import { type PositionBits, quantizePositions } from './positions.ts';
import { quantizeTexCoords } from './tex-coords.ts';

/** Rounds what vertices hold to whole numbers of two bytes or one. What is whole already stays. */
export async function quantize(document: Document, bits: PositionBits): Promise<void> {
  quantizePositions(document, bits);
  quantizeTexCoords(document);
  quantizeOtherAttributes(document);
  // Copies of a mesh in other colours share their numbers, until each is given a grid of its own.
  await document.transform(pruneUnused(), dedup({ propertyTypes: [PropertyType.ACCESSOR] }));
  // Normals are rounded when they are packed.
  document.createExtension(KHRMeshQuantization).setRequired(true);
}
