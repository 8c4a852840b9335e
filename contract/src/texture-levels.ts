/**
 * How a geometry refers to the images of a texture pack. Both are GLB files. The geometry is a complete model, in which
 * each of these images has one pixel and this extension. A texture pack has nothing but images, at the positions
 * that the extension names; all packs of a model have the same images in different sizes.
 */
export const TEXTURE_LEVELS_EXTENSION = 'CLOCHE_texture_levels';

/** The value of the extension in an image of a geometry. */
export type TextureLevelsImage = {
  /** Position in `images` of each texture pack. */
  index: number;
};
