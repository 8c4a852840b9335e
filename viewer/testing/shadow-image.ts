import type { ContactShadow } from '@cloche/contract/contact-shadow';
import sharp from 'sharp';

/** Creates the shadow of a box with edges of one meter around the origin: dark below it, and light around it. */
export async function createBoxShadow(): Promise<ContactShadow> {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="#000"/><rect x="8" y="8" width="48" height="48" fill="#808080"/><rect x="16" y="16" width="32" height="32" fill="#fff"/></svg>';
  const image = await sharp(Buffer.from(svg)).webp({ quality: 90 }).toBuffer();
  return { rectangle: [-1, -1, 1, 1], y: -0.502, image: image.toString('base64') };
}
