import type { Document, Material, Primitive, Texture } from '@gltf-transform/core';
import type { Transmission, Transform as UvTransform } from '@gltf-transform/extensions';
import { countPrimitiveTriangles } from '../model-counts.ts';
import { decodePixels } from '../textures/decode-pixels.ts';

/** Returns the opacity of a triangle, from 0 to 1. */
export type OpacityReader = (triangle: number) => number;

/** Returns alpha at a point of a triangle, from 0 to 1. */
type AlphaReader = (vertices: Triple, weights: Triple) => number;

type Triple = readonly [number, number, number];

/** Alpha from 0 to 255, in rows. */
type AlphaMap = { width: number; height: number; alpha: Uint8Array };

/** The longest side of an alpha map, texels. */
const MAX_ALPHA_MAP_SIZE = 256;

/** The points of a triangle at which alpha is read, as weights of its corners: the centers of 16 equal parts. */
const SAMPLE_POINTS = listPartCenters(4);
/** In a primitive with more triangles than this, they are small: alpha is read at their centers only. */
const MAX_SAMPLED_TRIANGLES = 50_000;

/**
 * Decodes the textures with transparency, and returns a function that returns the reader of a primitive. It
 * reads alpha of the material, its texture and the vertex colors, and the transmission.
 */
export async function createOpacityReaders(
  document: Document,
): Promise<(primitive: Primitive) => OpacityReader> {
  const alphaMaps = new Map<Texture, AlphaMap | undefined>();
  for (const material of document.getRoot().listMaterials()) {
    const texture = material.getBaseColorTexture();
    if (material.getAlphaMode() === 'OPAQUE' || texture === null || alphaMaps.has(texture))
      continue;
    alphaMaps.set(texture, await decodeAlpha(texture));
  }
  const readers = new Map<Primitive, OpacityReader>();
  return (primitive) => {
    const reader = readers.get(primitive) ?? createOpacityReader(primitive, alphaMaps);
    readers.set(primitive, reader);
    return reader;
  };
}

function createOpacityReader(
  primitive: Primitive,
  alphaMaps: ReadonlyMap<Texture, AlphaMap | undefined>,
): OpacityReader {
  const material = primitive.getMaterial();
  if (material === null) return () => 1;
  const transmission = material.getExtension<Transmission>('KHR_materials_transmission');
  const solidity = 1 - (transmission?.getTransmissionFactor() ?? 0);
  const mode = material.getAlphaMode();
  if (mode === 'OPAQUE') return () => solidity;
  const factor = material.getAlpha();
  const cutoff = material.getAlphaCutoff();
  const toOpacity = (alpha: number) =>
    solidity * (mode === 'MASK' ? Number(alpha * factor >= cutoff) : alpha * factor);
  const texture = material.getBaseColorTexture();
  const alphaReaders = [
    createVertexAlphaReader(primitive),
    createTextureAlphaReader(primitive, material, texture ? alphaMaps.get(texture) : undefined),
  ].filter((reader) => reader !== undefined);
  if (alphaReaders.length === 0) return () => toOpacity(1);
  // Once, because a primitive may have a million instances.
  const opacities = computeOpacities(primitive, (vertices, weights) =>
    toOpacity(alphaReaders.reduce((product, read) => product * read(vertices, weights), 1)),
  );
  return (triangle) => opacities[triangle] as number;
}

/** Computes the mean opacity of each triangle. */
function computeOpacities(primitive: Primitive, readOpacity: AlphaReader): Float32Array {
  const indices = primitive.getIndices()?.getArray();
  const opacities = new Float32Array(countPrimitiveTriangles(primitive));
  const points = opacities.length > MAX_SAMPLED_TRIANGLES ? listPartCenters(1) : SAMPLE_POINTS;
  for (let triangle = 0; triangle < opacities.length; triangle++) {
    const toVertex = (corner: number) => indices?.[3 * triangle + corner] ?? 3 * triangle + corner;
    const vertices = [toVertex(0), toVertex(1), toVertex(2)] as const;
    let sum = 0;
    for (const weights of points) sum += readOpacity(vertices, weights);
    opacities[triangle] = sum / points.length;
  }
  return opacities;
}

function createVertexAlphaReader(primitive: Primitive): AlphaReader | undefined {
  const colors = primitive.getAttribute('COLOR_0');
  if (colors?.getElementSize() !== 4) return undefined;
  const element: number[] = [];
  const read = (vertex: number) => colors.getElement(vertex, element)[3] as number;
  return ([a, b, c], [u, v, w]) => u * read(a) + v * read(b) + w * read(c);
}

function createTextureAlphaReader(
  primitive: Primitive,
  material: Material,
  alphaMap: AlphaMap | undefined,
): AlphaReader | undefined {
  const info = material.getBaseColorTextureInfo();
  const transform = info?.getExtension<UvTransform>('KHR_texture_transform');
  const texCoord = transform?.getTexCoord() ?? info?.getTexCoord() ?? 0;
  const coordinates = primitive.getAttribute(`TEXCOORD_${texCoord}`);
  if (alphaMap === undefined || coordinates === null) return undefined;
  const [offsetX, offsetY] = transform?.getOffset() ?? [0, 0];
  const [scaleX, scaleY] = transform?.getScale() ?? [1, 1];
  const rotation = transform?.getRotation() ?? 0;
  const [cos, sin] = [Math.cos(rotation), Math.sin(rotation)];
  const point = [0, 0];
  return (vertices, weights) => {
    let [u, v] = [0, 0];
    for (const corner of [0, 1, 2] as const) {
      coordinates.getElement(vertices[corner], point);
      u += weights[corner] * (point[0] as number) * scaleX;
      v += weights[corner] * (point[1] as number) * scaleY;
    }
    return readTexel(alphaMap, offsetX + cos * u + sin * v, offsetY + cos * v - sin * u);
  };
}

/** Reads the texel at texture coordinates. The texture repeats. */
function readTexel({ width, height, alpha }: AlphaMap, u: number, v: number): number {
  const x = Math.floor((u - Math.floor(u)) * width);
  const y = Math.floor((v - Math.floor(v)) * height);
  return (alpha[Math.min(y, height - 1) * width + Math.min(x, width - 1)] ?? 255) / 255;
}

/** Undefined if the texture is opaque or cannot be decoded. */
async function decodeAlpha(texture: Texture): Promise<AlphaMap | undefined> {
  const image = texture.getImage();
  // KTX2 is not decoded.
  if (!image || texture.getMimeType() === 'image/ktx2') return undefined;
  const usage = { usedChannels: [false, false, false, true], alphaIsCoverage: true } as const;
  const { data, width, height, channels } = await decodePixels(image, usage, MAX_ALPHA_MAP_SIZE);
  if (channels !== 4) return undefined;
  return { width, height, alpha: data.filter((_, index) => index % 4 === 3) };
}

/** Divides a triangle into `count ** 2` equal parts, and returns their centers as weights of the corners. */
function listPartCenters(count: number): Triple[] {
  const centers: Triple[] = [];
  for (let row = 0; row < count; row++) {
    for (let column = 0; column < 2 * (count - row) - 1; column++) {
      const [isFlipped, step] = [column % 2, Math.floor(column / 2)];
      const u = (row + (isFlipped ? 2 / 3 : 1 / 3)) / count;
      const v = (step + (isFlipped ? 2 / 3 : 1 / 3)) / count;
      centers.push([u, v, 1 - u - v]);
    }
  }
  return centers;
}
