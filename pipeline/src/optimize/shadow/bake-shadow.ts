/**
 * Bakes the shadow of a model on the ground below it into a small image, so that the viewer computes nothing:
 * the image has 256 × 256 pixels at most, and 0.3 to 1.3 kB.
 */
import type { ContactShadow } from '@cloche/contract/contact-shadow';
import type { Document } from '@gltf-transform/core';
import sharp from 'sharp';
import { computeSceneBounds } from '../scene-bounds.ts';
import type { Grid } from './blur.ts';
import { HeightMap } from './height-map.ts';
import { computeOcclusion } from './occlusion.ts';
import { createOpacityReaders } from './opacity.ts';
import { rasterizeScene } from './rasterize-scene.ts';
import { computeShadowArea, type ShadowArea } from './shadow-area.ts';

/** Samples of the height map along each side of a texel: usually the first, the other if that is too much. */
const [SAMPLES_PER_TEXEL, REDUCED_SAMPLES_PER_TEXEL] = [4, 1];
/**
 * About a second. Only models in which hundreds of layers cover each other need more. They get fewer samples,
 * and if that is still too much, the shadow of their first parts.
 */
const MAX_OPERATIONS = 100_000_000;
/** Along each edge, the shadow fades to nothing within this share of the image. */
const FADE = 0.3;
const WEBP_QUALITY = 92;

/** Returns the shadow of the default scene in its current pose; undefined if the scene has no extent. */
export async function bakeShadow(document: Document): Promise<ContactShadow | undefined> {
  const bounds = computeSceneBounds(document);
  const area = bounds && computeShadowArea(bounds);
  if (area === undefined) return undefined;
  const heightMap = await drawHeightMap(document, area);
  const samplesPerTexel = heightMap.width / area.width;
  const footprint = area.footprint * area.texelsPerMeter;
  const occlusion = computeOcclusion(heightMap, { samplesPerTexel, footprint });
  fadeEdges(occlusion);
  const { rectangle, y } = area;
  return { rectangle, y, image: await encodeImage(occlusion) };
}

async function drawHeightMap(document: Document, area: ShadowArea): Promise<HeightMap> {
  const getOpacity = await createOpacityReaders(document);
  const draw = (samplesPerTexel: number) => {
    const [width, depth] = [area.width * samplesPerTexel, area.depth * samplesPerTexel];
    const map = new HeightMap({ width, depth });
    const placement = {
      minX: area.rectangle[0],
      minZ: area.rectangle[1],
      y: area.y,
      samplesPerMeter: area.texelsPerMeter * samplesPerTexel,
      heightPerMeter: 1 / area.footprint,
    };
    const options = { placement, getOpacity, maxOperations: MAX_OPERATIONS };
    return { map, isComplete: rasterizeScene(document, map, options) };
  };
  const { map, isComplete } = draw(SAMPLES_PER_TEXEL);
  return isComplete ? map : draw(REDUCED_SAMPLES_PER_TEXEL).map;
}

function fadeEdges({ width, height, values }: Grid): void {
  for (let index = 0; index < values.length; index++) {
    const [column, row] = [index % width, Math.floor(index / width)];
    values[index] = (values[index] as number) * fade(column, width) * fade(row, height);
  }
}

/** 0 at the first and the last texel, 1 at FADE from them. */
function fade(index: number, count: number): number {
  const distance = Math.min(index, count - 1 - index, count * FADE) / (count * FADE);
  return distance ** 2 * (3 - 2 * distance);
}

async function encodeImage({ width, height, values }: Grid): Promise<string> {
  const pixels = Buffer.from(values.map((value) => Math.round(255 * value)));
  const image = await sharp(pixels, { raw: { width, height, channels: 1 } })
    .webp({ quality: WEBP_QUALITY, effort: 6 })
    .toBuffer();
  return image.toString('base64');
}
