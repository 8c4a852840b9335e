/** The sizes that a design may choose for its textures, in pixels. Has no dependencies: the console imports it. */
export const TEXTURE_SIZES = [512, 1024, 2048, 4096] as const;

/**
 * Longest side of the images that a model is loaded with, in pixels: all devices can have them. Larger ones are loaded while it is
 * shown: they would delay it, and a device may not have the memory for them.
 */
export const MAX_FIRST_IMAGE_SIZE = 2048;
