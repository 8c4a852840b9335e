import { availableParallelism } from 'node:os';
import { Problem } from '@cloche/contract/problem';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import type { Document, Texture } from '@gltf-transform/core';
import { EXTTextureWebP } from '@gltf-transform/extensions';
import { dedupTextures } from '../dedup-resources.ts';
import { type EncodeTextureOptions, encodeTexture } from './encode-texture.ts';
import { getTextureUsage } from './texture-usage.ts';

/** Types that sharp decodes. Textures of other types are not changed. */
const SUPPORTED_MIME_TYPES = /^image\/(png|jpeg|webp|avif)$/;
const MAX_CONCURRENCY = 4;

/** Resizes textures to `maxSize` and encodes them as small as possible without a visible change. */
export async function compressTextures(
  document: Document,
  options: EncodeTextureOptions,
  onProgress: (fraction: number) => void = () => undefined,
): Promise<void> {
  const textures = document.getRoot().listTextures();
  const queue = [...textures];
  let doneCount = 0;
  const runWorker = async () => {
    for (let texture = queue.shift(); texture !== undefined; texture = queue.shift()) {
      await compressTexture(texture, options);
      doneCount += 1;
      onProgress(doneCount / textures.length);
    }
  };
  const concurrency = Math.min(availableParallelism(), MAX_CONCURRENCY);
  await Promise.all(Array.from({ length: concurrency }, runWorker));
  dedupTextures(document);
  const mimeTypes = document
    .getRoot()
    .listTextures()
    .map((texture) => texture.getMimeType());
  if (mimeTypes.includes('image/webp')) document.createExtension(EXTTextureWebP).setRequired(true);
}

/** Whether sharp can decode the image of a texture. */
export function isCompressible(texture: Texture): boolean {
  return SUPPORTED_MIME_TYPES.test(texture.getMimeType());
}

async function compressTexture(texture: Texture, options: EncodeTextureOptions): Promise<void> {
  const [image, mimeType] = [texture.getImage(), texture.getMimeType()];
  if (image === null || !isCompressible(texture)) return;
  const usage = getTextureUsage(texture);
  const encoded = await encodeTexture({ image, mimeType }, usage, options).catch((cause) => {
    const name = texture.getName() || texture.getURI();
    const subject = name === '' ? 'a texture without a name' : `texture ${quoteUntrusted(name)}`;
    const detail = `The image of ${subject} is damaged. Export the file again.`;
    throw new Problem('design.unreadable', { detail, cause });
  });
  if (encoded === undefined) return;
  texture.setImage(new Uint8Array(encoded.image)).setMimeType(encoded.mimeType);
  if (texture.getURI()) texture.setURI('');
}
