import sharp from 'sharp';

/** Renders the HTML of an inline poster that only the boot script may show, 200 pixels wide. */
export async function renderInlinePoster(image: Buffer): Promise<string> {
  const { data, info } = await sharp(image)
    .resize(200)
    .webp({ quality: 50 })
    .toBuffer({ resolveWithObject: true });
  return `<template id="unchecked-poster"><img id="inline-poster" alt="" width="${info.width}" height="${info.height}" src="data:image/webp;base64,${data.toString('base64')}"></template>`;
}
