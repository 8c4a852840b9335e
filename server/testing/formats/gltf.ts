import { type BoxOptions, describeBox, type Gltf, makePng } from '../models.ts';

export type GltfOptions = BoxOptions & {
  /** The URIs of the files beside it; without these all is within. */
  apart?: { bin: string; image?: string };
};

/** A glTF as JSON: a cube whose data is within it, or in the files that it names. */
export function makeGltf(options: GltfOptions = {}): { gltf: Buffer; bin: Buffer; image: Buffer } {
  const { apart, ...box } = options;
  const { json, bin } = describeBox(box);
  const image = makePng(4, 4, [255, 255, 255]);
  const data = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`;
  const uri = apart?.bin ?? data('application/octet-stream', bin);
  const whole: Gltf = { ...json, buffers: [{ byteLength: bin.length, uri }] };
  if (box.textured) whole.images = [{ uri: apart?.image ?? data('image/png', image) }];
  return { gltf: Buffer.from(JSON.stringify(whole)), bin, image };
}
