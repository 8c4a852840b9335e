import type { ProcessingWarning } from '@cloche/contract/design';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import type { Document, Material } from '@gltf-transform/core';
import sharp from 'sharp';

/** An opacity below this is invisible on a screen of 8 bits. */
const MIN_OPACITY = 1 / 255;

/**
 * Makes each material opaque that would be completely invisible, and returns a warning for each.
 *
 * Such a material is nearly always a mistake of an exporter, and the owner would see nothing.
 */
export async function showInvisibleMaterials(document: Document): Promise<ProcessingWarning[]> {
  const warnings: ProcessingWarning[] = [];
  for (const material of document.getRoot().listMaterials()) {
    if (!(await isInvisible(material))) continue;
    material.setAlphaMode('OPAQUE').setAlpha(1);
    const name = material.getName();
    const subject =
      name === '' ? 'A material without a name' : `The material ${quoteUntrusted(name)}`;
    const message = `${subject} was completely transparent, so that nothing would be visible; it was made opaque.`;
    warnings.push({ code: 'material.invisible', message });
  }
  return warnings;
}

async function isInvisible(material: Material): Promise<boolean> {
  const mode = material.getAlphaMode();
  if (mode === 'OPAQUE') return false;
  const threshold = mode === 'MASK' ? material.getAlphaCutoff() : MIN_OPACITY;
  if (material.getAlpha() < threshold) return true;
  return material.getAlpha() * (await getMaxTextureAlpha(material)) < threshold;
}

/** The highest alpha of the color texture, from 0 to 1; 1 if it has none or cannot be decoded. */
async function getMaxTextureAlpha(material: Material): Promise<number> {
  const image = material.getBaseColorTexture()?.getImage();
  if (!image) return 1;
  try {
    const { hasAlpha } = await sharp(image).metadata();
    if (!hasAlpha) return 1;
    const { channels } = await sharp(
      await sharp(image).extractChannel('alpha').raw({ depth: 'uchar' }).png().toBuffer(),
    ).stats();
    return (channels[0]?.max ?? 255) / 255;
  } catch {
    // A damaged image is reported when it is compressed; KTX2 is not decoded.
    return 1;
  }
}
