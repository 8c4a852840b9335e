/** A box whose textures are in packs, by default with another color in each pack. */
import sharp from 'sharp';
import { createBoxGlb, type GlbBytes, type LooseGltfJson, packGlb } from './box-models.ts';
import type { ViewerServerOptions } from './test-server.ts';

/** Red, green and blue, up to 255. */
export type Color = { r: number; g: number; b: number };

/** The color of the textures of each size. */
export const LEVEL_COLORS = {
  512: { r: 220, g: 20, b: 20 },
  1024: { r: 20, g: 200, b: 20 },
  2048: { r: 20, g: 20, b: 220 },
  4096: { r: 220, g: 20, b: 220 },
} as const satisfies Record<LevelSize, Color>;

const LEVEL_SIZES = [512, 1024, 2048, 4096] as const;
/** The longest side of the images of a pack, in pixels. */
export type LevelSize = (typeof LEVEL_SIZES)[number];

/** The color of the second texture, in all packs. Only the variant uses it. */
const VARIANT_COLOR: Color = { r: 220, g: 200, b: 20 };

/**
 * Creates the files and the config of the box. The variant uses the first image too, as emissive texture. With
 * the default density, 600 × 400 device pixels need the smallest pack. `renderImage` creates the PNG of a pack, `maxSize` is the
 * largest one.
 */
export async function createLeveledBox({
  variant = false,
  uvPerMeter = 0.6,
  maxSize = 2048 as LevelSize,
  renderImage = (size: LevelSize) => encodePixel(LEVEL_COLORS[size]),
} = {}): Promise<ViewerServerOptions> {
  const geometry = createGeometry(await encodePixel({ r: 128, g: 128, b: 128 }), variant);
  const packs = await Promise.all(
    LEVEL_SIZES.filter((size) => size <= maxSize).map(async (size) => {
      const pack = createPack([await renderImage(size), await encodePixel(VARIANT_COLOR)]);
      return { size, url: `/textures-${size}.glb`, bytes: pack.byteLength, pack };
    }),
  );
  return {
    files: {
      '/geometry.glb': geometry,
      ...Object.fromEntries(packs.map(({ url, pack }) => [url, pack])),
    },
    config: {
      model: {
        url: '/model.glb',
        bytes: 0,
        bounds: { min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5] },
      },
      levels: {
        geometries: [{ url: '/geometry.glb', bytes: geometry.byteLength, triangles: 12 }],
        textures: packs.map(({ size, url, bytes }) => ({ size, url, bytes })),
        uvPerMeter,
      },
    },
  };
}

function createGeometry(placeholder: Uint8Array, hasVariant: boolean): GlbBytes {
  const change = (gltf: LooseGltfJson) => {
    const toMaterial = (index: number) => ({
      pbrMetallicRoughness: { baseColorTexture: { index }, metallicFactor: 0 },
      emissiveFactor: [0.01, 0.01, 0.01],
      emissiveTexture: { index: 0, extensions: { KHR_texture_transform: { scale: [2, 2] } } },
    });
    Object.assign(gltf, {
      extensionsUsed: ['CLOCHE_texture_levels', 'KHR_texture_transform'],
      materials: [toMaterial(0), toMaterial(1)],
      textures: [{ source: 0 }, { source: 1 }],
      images: [0, 1].map((index) => ({
        bufferView: 4 + index,
        mimeType: 'image/png',
        extensions: { CLOCHE_texture_levels: { index } },
      })),
    });
    if (!hasVariant) return;
    const [mesh] = gltf.meshes as [{ primitives: object[] }];
    const mappings = [{ material: 1, variants: [0] }];
    Object.assign(mesh.primitives[0] ?? {}, {
      extensions: { KHR_materials_variants: { mappings } },
    });
    gltf.extensions = { KHR_materials_variants: { variants: [{ name: 'Yellow' }] } };
    (gltf.extensionsUsed as string[]).push('KHR_materials_variants');
  };
  return createBoxGlb({ extraBufferViews: [placeholder, placeholder], change });
}

function createPack(images: readonly Uint8Array[]): GlbBytes {
  let byteOffset = 0;
  const bufferViews = images.map(({ byteLength }) => {
    const view = { buffer: 0, byteOffset, byteLength };
    byteOffset += Math.ceil(byteLength / 4) * 4;
    return view;
  });
  const buffer = new Uint8Array(byteOffset);
  for (const [index, image] of images.entries())
    buffer.set(image, bufferViews[index]?.byteOffset ?? 0);
  return packGlb(
    {
      asset: { version: '2.0' },
      images: images.map((_, index) => ({ bufferView: index, mimeType: 'image/png' })),
      bufferViews,
      buffers: [{ byteLength: byteOffset }],
    },
    buffer,
  );
}

function encodePixel(background: Color): Promise<Uint8Array> {
  return sharp({ create: { width: 8, height: 8, channels: 3, background } })
    .png()
    .toBuffer();
}
