import { availableParallelism } from 'node:os';
import { Problem } from '@cloche/contract/problem';
import type { Document, Texture } from '@gltf-transform/core';
import { PropertyType } from '@gltf-transform/core';
import { EXTTextureWebP } from '@gltf-transform/extensions';
import { dedup } from '@gltf-transform/functions';
import { quote } from '../../preflight/quote.ts';
import { type EncodeOptions, encode } from './encode.ts';
import { findUse } from './use.ts';

/** What sharp reads; textures of other types stay as they are. */
const READABLE = /^image\/(png|jpeg|webp|avif)$/;

/** Makes textures no larger than an embed can show, and stores them as small as looks the same. */
export async function shrinkTextures(
  document: Document,
  options: EncodeOptions,
  tell: (done: number) => void = () => undefined,
): Promise<void> {
  const textures = document.getRoot().listTextures();
  const queue = [...textures];
  let done = 0;
  const lane = async () => {
    for (let texture = queue.shift(); texture !== undefined; texture = queue.shift()) {
      await shrink(texture, options);
      tell(++done / textures.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), 4) }, lane));
  await document.transform(dedup({ propertyTypes: [PropertyType.TEXTURE] }));
  if (
    document
      .getRoot()
      .listTextures()
      .some((it) => it.getMimeType() === 'image/webp')
  ) {
    document.createExtension(EXTTextureWebP).setRequired(true);
  }
}

async function shrink(texture: Texture, options: EncodeOptions): Promise<void> {
  const [image, mimeType] = [texture.getImage(), texture.getMimeType()];
  if (image === null || !READABLE.test(mimeType)) return;
  const smaller = await encode({ image, mimeType }, findUse(texture), options).catch((cause) => {
    const name = texture.getName() || texture.getURI() || 'without a name';
    const detail = `The picture of a texture cannot be read to its end: ${quote(name)}. Export it again.`;
    throw new Problem('design.unreadable', { detail, cause });
  });
  if (smaller === undefined) return;
  texture.setImage(new Uint8Array(smaller.image)).setMimeType(smaller.mimeType);
  if (texture.getURI()) texture.setURI('');
}
