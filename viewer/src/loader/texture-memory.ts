import type { Texture, WebGLRenderer } from 'three';
import type { TexturePack } from './select-texture-pack.ts';

type Device = Pick<Navigator, 'maxTouchPoints'> & { deviceMemory?: number };

type DeviceOptions = {
  /** The images that are shown. */
  sources: readonly Texture['source'][];
  /** The size of their pack. */
  size: number;
  capabilities: Pick<WebGLRenderer['capabilities'], 'maxTextureSize'>;
  navigator: Device;
};

/** RGBA, and a third more for the mipmaps. */
const BYTES_PER_PIXEL = (4 * 4) / 3;

/** The share of its memory that a device may use for the textures of one model: 512 MiB of 8 GiB. */
const MEMORY_SHARE = 1 / 16;

/** Not all browsers say how much memory the device has, those of iPhones for example. */
const [ASSUMED_GIB, ASSUMED_TOUCH_GIB] = [8, 4];

/** Whether a device can have the images of a texture pack. */
export function fitsDevice(
  pack: Pick<TexturePack, 'size' | 'imageSize' | 'pixels'>,
  { sources, size, capabilities, navigator }: DeviceOptions,
): boolean {
  const shownPixels = sources.reduce((sum, { data }) => {
    const { width = 0, height = 0 } = (data ?? {}) as { width?: number; height?: number };
    return sum + width * height;
  }, 0);
  // In revisions of older versions, all images of a pack are larger by the same factor.
  const pixels = pack.pixels ?? shownPixels * (pack.size / size) ** 2;
  const budget = MEMORY_SHARE * getMemoryGib(navigator) * 1024 ** 3;
  const imageSize = pack.imageSize ?? pack.size;
  return imageSize <= capabilities.maxTextureSize && pixels * BYTES_PER_PIXEL <= budget;
}

function getMemoryGib({ deviceMemory, maxTouchPoints }: Device): number {
  return deviceMemory ?? (maxTouchPoints > 0 ? ASSUMED_TOUCH_GIB : ASSUMED_GIB);
}
