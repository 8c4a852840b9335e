import { makeGlb, type makeUnpackedBox } from '@cloche/pipeline/testing/models';

type UnpackedModel = ReturnType<typeof makeUnpackedBox>;

/** Replaces the image of an unpacked model with a PNG, and packs it as a GLB. */
export function packWithImage({ json, bin }: UnpackedModel, png: Buffer): Buffer {
  const bufferViews = json.bufferViews as object[];
  bufferViews.push({ buffer: 0, byteOffset: bin.length, byteLength: png.length });
  json.images = [{ bufferView: bufferViews.length - 1, mimeType: 'image/png' }];
  json.buffers = [{ byteLength: bin.length + png.length }];
  return makeGlb({ json, bin: Buffer.concat([bin, png]) });
}
