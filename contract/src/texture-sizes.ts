/** The sizes that a design may choose for its textures, in pixels. Has no dependencies: the console imports it. */
export const TEXTURE_SIZES = [512, 1024, 2048, 4096] as const;
