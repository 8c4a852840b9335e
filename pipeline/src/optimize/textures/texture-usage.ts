import { type Texture, TextureChannel } from '@gltf-transform/core';
import { getTextureChannelMask, listTextureSlots } from '@gltf-transform/functions';

/** The properties of a texture's use that matter for its encoding. */
export type TextureUsage = {
  /** Whether red, green, blue and alpha are used. */
  usedChannels: readonly [boolean, boolean, boolean, boolean];
  /** Alpha is the opacity of the color, so that transparent pixels may have any color. */
  alphaIsCoverage: boolean;
};

/** Returns how the materials use a texture. */
export function getTextureUsage(texture: Texture): TextureUsage {
  const slots = listTextureSlots(texture);
  const mask = getTextureChannelMask(texture);
  const { R, G, B, A } = TextureChannel;
  return {
    usedChannels: [(mask & R) > 0, (mask & G) > 0, (mask & B) > 0, (mask & A) > 0],
    alphaIsCoverage: slots.every((slot) => slot === 'baseColorTexture'),
  };
}
