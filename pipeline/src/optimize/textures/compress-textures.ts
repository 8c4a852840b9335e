import { availableParallelism } from 'node:os';
import { Problem } from '@cloche/contract/problem';
import type { Document, Texture } from '@gltf-transform/core';
import { PropertyType } from '@gltf-transform/core';
import { EXTTextureWebP } from '@gltf-transform/extensions';
import { dedup } from '@gltf-transform/functions';
import { quoteUntrusted } from '../../validation/quote-untrusted.ts';
import { type EncodeTextureOptions, encodeTexture } from './encode-texture.ts';
import { getTextureUsage } from './texture-usage.ts';

/** What sharp reads; textures of other types stay as they are. */
const SUPPORTED_MIME_TYPES = /^image\/(png|jpeg|webp|avif)$/;

/** Makes textures no larger than an embed can show, and stores them as small as looks the same. */
export async function compressTextures(
  document: Document,
  options: EncodeTextureOptions,
  tell: (done: number) => void = () => undefined,
): Promise<void> {
  const textures = document.getRoot().listTextures();
  const queue = [...textures];
  let done = 0;
  const lane = async () => {
    for (let texture = queue.shift(); texture !== undefined; texture = queue.shift()) {
      await compressTexture(texture, options);
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

async function compressTexture(texture: Texture, options: EncodeTextureOptions): Promise<void> {
  const [image, mimeType] = [texture.getImage(), texture.getMimeType()];
  if (image === null || !SUPPORTED_MIME_TYPES.test(mimeType)) return;
  const smaller = await encodeTexture({ image, mimeType }, getTextureUsage(texture), options).catch(
    (cause) => {
      const name = texture.getName() || texture.getURI() || 'without a name';
      const detail = `The picture of a texture cannot be read to its end: ${quoteUntrusted(name)}. Export it again.`;
      throw new Problem('design.unreadable', { detail, cause });
    },
  );
  if (smaller === undefined) return;
  texture.setImage(new Uint8Array(smaller.image)).setMimeType(smaller.mimeType);
  if (texture.getURI()) texture.setURI('');
}
