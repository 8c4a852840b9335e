import type { SourceEdit } from './apply-edits.ts';

/** The part of a shader about textures, without that about the coordinates that three.js has for other purposes. */
const COORDINATES = /#ifdef USE_MAP[\s\S]*$/;

/** Gives the shaders of three.js the definitions of src/renderer/shared-textures.ts. By the names of the shaders. */
export const SHARED_TEXTURE_EDITS: Readonly<Record<string, readonly SourceEdit[]>> = {
  uv_pars_vertex: [
    [
      COORDINATES,
      '#ifdef SHARED_UV\nuniform mat3 SHARED_TRANSFORM;\nvarying vec2 vSharedUv;\n#else\n$&\n#endif',
    ],
  ],
  uv_vertex: [
    [
      COORDINATES,
      '#ifdef SHARED_UV\nvSharedUv = ( SHARED_TRANSFORM * vec3( SHARED_UV, 1 ) ).xy;\n#else\n$&\n#endif',
    ],
  ],
  uv_pars_fragment: [
    [/^/, '#ifdef SHARED_UV\nvarying vec2 vSharedUv;\n#endif\n'],
    [/varying vec2 (v\w*MapUv);/g, '#ifdef SHARED_UV\n#define $1 vSharedUv\n#else\n$&\n#endif'],
  ],
  metalnessmap_fragment: [
    [
      /vec4 texelMetalness = .*;/,
      '#ifdef METALNESS_IN_ROUGHNESS_MAP\nvec4 texelMetalness = texelRoughness;\n#else\n$&\n#endif',
    ],
  ],
  aomap_fragment: [
    [
      /^/,
      '#ifdef OCCLUSION_IN_ROUGHNESS_MAP\n#define texelOcclusion texelRoughness\n#else\n#define texelOcclusion texture2D( aoMap, vAoMapUv )\n#endif\n',
    ],
    [/texture2D\( aoMap, vAoMapUv \)(?=\.r - 1)/, 'texelOcclusion'],
  ],
};
