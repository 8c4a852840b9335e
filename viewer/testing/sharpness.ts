/** Measures how sharp the pictures are that a browser presents while a design loads. */
import type { Page } from 'playwright-core';
import sharp from 'sharp';

type Grayscale = { pixels: Uint8Array; width: number };

/** Records every picture that the browser presents, until `stop` returns them: as PNG, in order. */
export async function recordPictures(page: Page): Promise<{ stop(): Promise<Buffer[]> }> {
  const session = await page.context().newCDPSession(page);
  const pictures: { time: number; png: Buffer }[] = [];
  session.on('Page.screencastFrame', ({ data, sessionId, metadata: { timestamp = 0 } }) => {
    pictures.push({ time: timestamp, png: Buffer.from(data, 'base64') });
    // The page may be closed in the meantime.
    session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
  });
  await session.send('Page.startScreencast', { format: 'png', everyNthFrame: 1 });
  return {
    async stop() {
      await session.send('Page.stopScreencast');
      // They are encoded in parallel, and may arrive in another order.
      return pictures.sort((a, b) => a.time - b.time).map(({ png }) => png);
    },
  };
}

/**
 * Returns the sharpness of each picture: the mean |laplacian| over the part of the picture that the model
 * covers in the last one, relative to the last one.
 *
 * @param isModel whether a pixel of the last picture, red, green and blue, belongs to the model
 */
export async function measureSharpness(
  pictures: readonly Buffer[],
  isModel: (red: number, green: number, blue: number) => boolean,
): Promise<number[]> {
  const last = pictures.at(-1);
  if (last === undefined) return [];
  const { data, info } = await sharp(last)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const mask: number[] = [];
  for (let pixel = info.width; pixel < info.width * (info.height - 1); pixel++) {
    const [red = 0, green = 0, blue = 0] = data.subarray(pixel * 3, pixel * 3 + 3);
    if (isModel(red, green, blue)) mask.push(pixel);
  }
  const sums: number[] = [];
  for (const picture of pictures) sums.push(sumLaplacian(await toGrayscale(picture), mask));
  return sums.map((sum) => sum / (sums.at(-1) ?? 0));
}

async function toGrayscale(picture: Buffer): Promise<Grayscale> {
  const { data, info } = await sharp(picture)
    .removeAlpha()
    .grayscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { pixels: data, width: info.width };
}

function sumLaplacian({ pixels, width }: Grayscale, mask: readonly number[]): number {
  const at = (pixel: number) => pixels[pixel] ?? 0;
  let sum = 0;
  for (const pixel of mask) {
    const neighbors = at(pixel - 1) + at(pixel + 1) + at(pixel - width) + at(pixel + width);
    sum += Math.abs(4 * at(pixel) - neighbors);
  }
  return sum;
}
