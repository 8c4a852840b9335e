import { type Document, PropertyType } from '@gltf-transform/core';
import { KHRMeshQuantization } from '@gltf-transform/extensions';
import { dedup } from '@gltf-transform/functions';
import { centerAnimations } from '../center-animations.ts';
import { centerInstances } from '../center-instances.ts';
import { pruneUnused } from '../clean.ts';
import { quantizeByteAttributes } from './byte-attributes.ts';
import { type PositionBits, quantizePositions } from './positions.ts';
import { quantizeTexCoords } from './tex-coords.ts';

/** Quantizes vertex attributes to integers of one or two bytes. Attributes of integers do not change. */
export async function quantize(document: Document, bits: PositionBits): Promise<void> {
  centerInstances(document);
  centerAnimations(document);
  quantizePositions(document, bits);
  quantizeTexCoords(document);
  quantizeByteAttributes(document);
  // Meshes that differ only in their material share accessors again: each was quantized separately.
  await document.transform(pruneUnused(), dedup({ propertyTypes: [PropertyType.ACCESSOR] }));
  // Required also for normals, which the writer quantizes.
  document.createExtension(KHRMeshQuantization).setRequired(true);
}
