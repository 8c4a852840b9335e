/**
 * The shadow of a model on the ground below it. The pipeline computes it once, and writes it into each GLB:
 * the viewer has it together with the geometry, without another request. Has no dependencies: the viewer
 * imports it.
 */
export type ContactShadow = {
  /** The rectangle that the image covers, in meters: `[minX, minZ, maxX, maxZ]`. */
  rectangle: [number, number, number, number];
  /** The height of the ground, in meters. */
  y: number;
  /**
   * A WebP image, base64. White is the darkest shadow, black is none. The first row is at `minZ`, the first
   * column at `minX`.
   */
  image: string;
};

/**
 * The member of `asset.extras` of a GLB that contains the `ContactShadow`. In `extras` the shadow is no
 * geometry: other programs ignore it.
 */
export const CONTACT_SHADOW_MEMBER = 'clocheContactShadow';
