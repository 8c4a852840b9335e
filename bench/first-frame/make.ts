import type { Document } from '@gltf-transform/core';
import { getBounds, prune, simplify, textureCompress, weld } from '@gltf-transform/functions';
import { MeshoptSimplifier } from 'meshoptimizer';
import sharp from 'sharp';
import { openIo } from '../../server/src/pipeline/io.ts';
import { optimize } from '../../server/src/pipeline/optimize/optimize.ts';
import { pack } from '../../server/src/pipeline/optimize/pack/pack.ts';
import { quantize } from '../../server/src/pipeline/optimize/quantize/quantize.ts';
import type { Upload } from './models.ts';

/** A model in the forms that are measured against each other. */
export type Made = {
  name: string;
  upload: Uint8Array;
  model: Uint8Array;
  preview: Uint8Array;
  bounds: { min: [number, number, number]; max: [number, number, number] };
};

/** Makes of an upload what the service makes of it. */
export async function make({ name, file }: Upload): Promise<Made> {
  const io = await openIo();
  const { model, preview } = await optimize(await io.readBinary(file), {}, () => {});
  const read = await io.readBinary(model);
  const scene = read.getRoot().getDefaultScene() ?? read.getRoot().listScenes()[0];
  if (scene === undefined) throw new Error(`${name} has no scene.`);
  const { min, max } = getBounds(scene) as Made['bounds'];
  const likeness = preview ?? (await makeLikeness(await io.readBinary(file)));
  return { name, upload: file, model, preview: likeness, bounds: { min, max } };
}

/** For as long as the optimiser leaves the preview out: few triangles, textures of 128 pixels. */
async function makeLikeness(document: Document): Promise<Uint8Array> {
  await document.transform(
    weld(),
    simplify({ simplifier: MeshoptSimplifier, ratio: 0.05, error: 0.02 }),
    prune(),
    textureCompress({ encoder: sharp, targetFormat: 'webp', resize: [128, 128], quality: 60 }),
  );
  await quantize(document, { scene: 14, mesh: 11 });
  return pack(document, { compress: true });
}
