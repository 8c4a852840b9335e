/** The vertex properties that are read: for each component, the names that programs give to it. */
export const VERTEX_PROPERTIES = {
  position: [['x'], ['y'], ['z']],
  normal: [['nx'], ['ny'], ['nz']],
  color: [
    ['red', 'diffuse_red', 'r'],
    ['green', 'diffuse_green', 'g'],
    ['blue', 'diffuse_blue', 'b'],
    ['alpha', 'diffuse_alpha', 'a'],
  ],
  texCoord: [
    ['u', 's', 'texture_u', 'texture_s'],
    ['v', 't', 'texture_v', 'texture_t'],
  ],
  /** The zeroth spherical harmonic of a Gaussian splat: its color averaged over all directions. */
  harmonic: [['f_dc_0'], ['f_dc_1'], ['f_dc_2']],
} as const;
