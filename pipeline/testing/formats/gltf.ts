import { type BoxOptions, type LooseGltf, makePng, makeUnpackedBox } from '../models.ts';

export type GltfFileOptions = BoxOptions & {
  /** The URIs of the files beside it; without these all is within. */
  externalUris?: { bin: string; image?: string };
};

/** A glTF as JSON: a cube whose data is within it, or in the files that it names. */
export function makeGltf(options: GltfFileOptions = {}): {
  gltf: Buffer;
  bin: Buffer;
  image: Buffer;
} {
  const { externalUris, ...box } = options;
  const { json, bin } = makeUnpackedBox(box);
  const image = makePng(4, 4, [255, 255, 255]);
  const data = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`;
  const uri = externalUris?.bin ?? data('application/octet-stream', bin);
  const whole: LooseGltf = { ...json, buffers: [{ byteLength: bin.length, uri }] };
  if (box.textured) whole.images = [{ uri: externalUris?.image ?? data('image/png', image) }];
  return { gltf: Buffer.from(JSON.stringify(whole)), bin, image };
}
