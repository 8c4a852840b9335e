import type { Texture, WebGLRenderer } from 'three';

type Device = Pick<Navigator, 'maxTouchPoints'> & { deviceMemory?: number };

type MaxTextureSizeOptions = {
  /** The images that are shown. */
  sources: readonly Texture['source'][];
  /** Longest side of the largest of them, in pixels. */
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

/** Returns the longest side that the images of a model may have on a device, in pixels. */
export function getMaxTextureSize(options: MaxTextureSizeOptions): number {
  const { sources, size, capabilities, navigator } = options;
  const pixels = sources.reduce((sum, { data }) => {
    const { width = 0, height = 0 } = (data ?? {}) as { width?: number; height?: number };
    return sum + width * height;
  }, 0);
  const budget = MEMORY_SHARE * getMemoryGib(navigator) * 1024 ** 3;
  // The pixels of all images grow with the square of the longest side.
  const sizeInMemory = size * Math.sqrt(budget / (pixels * BYTES_PER_PIXEL));
  return Math.min(capabilities.maxTextureSize, sizeInMemory);
}

function getMemoryGib({ deviceMemory, maxTouchPoints }: Device): number {
  return deviceMemory ?? (maxTouchPoints > 0 ? ASSUMED_TOUCH_GIB : ASSUMED_GIB);
}
