import { type Texture, TextureChannel } from '@gltf-transform/core';
import {
  getTextureChannelMask,
  getTextureColorSpace,
  listTextureSlots,
} from '@gltf-transform/functions';

/** What a texture is for, as far as its encoding goes. */
export type TextureUsage = {
  role: 'colour' | 'normal' | 'data';
  /** Which of red, green, blue and alpha anything reads. */
  usedChannels: readonly [boolean, boolean, boolean, boolean];
  /** Alpha says how much of the colour is seen, so that unseen colours may change. */
  alphaIsCoverage: boolean;
};

/** Tells how a texture is used by all the materials that have it. */
export function getTextureUsage(texture: Texture): TextureUsage {
  const slots = listTextureSlots(texture);
  const mask = getTextureChannelMask(texture);
  const { R, G, B, A } = TextureChannel;
  const role = slots.some((slot) => /normal/i.test(slot))
    ? 'normal'
    : getTextureColorSpace(texture) === 'srgb'
      ? 'colour'
      : 'data';
  return {
    role,
    usedChannels: [(mask & R) > 0, (mask & G) > 0, (mask & B) > 0, (mask & A) > 0],
    alphaIsCoverage: slots.every((slot) => slot === 'baseColorTexture'),
  };
}
