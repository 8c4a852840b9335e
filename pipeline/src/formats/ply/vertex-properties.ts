/** Where a vertex keeps what we draw; the names are those that programs really write. */
export const VERTEX_PROPERTIES = {
  position: [['x'], ['y'], ['z']],
  normal: [['nx'], ['ny'], ['nz']],
  colour: [
    ['red', 'diffuse_red', 'r'],
    ['green', 'diffuse_green', 'g'],
    ['blue', 'diffuse_blue', 'b'],
    ['alpha', 'diffuse_alpha', 'a'],
  ],
  coordinate: [
    ['u', 's', 'texture_u', 'texture_s'],
    ['v', 't', 'texture_v', 'texture_t'],
  ],
  /** The first harmonic of a gaussian splat: its colour from everywhere. */
  harmonic: [['f_dc_0'], ['f_dc_1'], ['f_dc_2']],
} as const;
