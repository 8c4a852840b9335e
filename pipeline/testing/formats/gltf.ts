import { type BoxOptions, type LooseGltf, makeUnpackedBox } from '../models.ts';
import { makePng } from '../png.ts';

export type GltfFileOptions = BoxOptions & {
  /** The URIs of the external files. By default all data is embedded. */
  externalUris?: { bin: string; image?: string };
};

/** Creates a glTF (JSON) of a cube whose data is embedded or in external files. */
export function makeGltf(options: GltfFileOptions = {}): {
  gltf: Buffer;
  bin: Buffer;
  image: Buffer;
} {
  const { externalUris, ...box } = options;
  const { json, bin } = makeUnpackedBox(box);
  const image = makePng(4, 4, [255, 255, 255]);
  const toDataUri = (type: string, bytes: Buffer) =>
    `data:${type};base64,${bytes.toString('base64')}`;
  const uri = externalUris?.bin ?? toDataUri('application/octet-stream', bin);
  const document: LooseGltf = { ...json, buffers: [{ byteLength: bin.length, uri }] };
  if (box.textured)
    document.images = [{ uri: externalUris?.image ?? toDataUri('image/png', image) }];
  return { gltf: Buffer.from(JSON.stringify(document)), bin, image };
}
