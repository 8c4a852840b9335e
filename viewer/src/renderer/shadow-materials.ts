import { BackSide, NoBlending, ShaderMaterial, type Texture, Vector2 } from 'three';

/** The shadow close to the points of contact. `blur` is a fraction of the footprint. */
export const TIGHT_SHADOW = { blur: 0.02, darkness: 0.42 };
/** The larger and softer shadow around it. `blur` is a fraction of the footprint. */
export const WIDE_SHADOW = { blur: 0.14, darkness: 0.5 };

const FULL_SCREEN_VERTEX_SHADER = `
varying vec2 vUv;
void main() { vUv = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }`;
const GROUND_VERTEX_SHADER = `
varying vec2 vUv;
void main() { vUv = uv; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`;
/** A Gaussian blur along one axis, 17 samples; `spread` is two standard deviations. */
const BLUR_FRAGMENT_SHADER = `
varying vec2 vUv; uniform sampler2D map; uniform vec2 spread;
void main() {
  float sum = 0.0; float total = 0.0;
  for (int i = -8; i <= 8; i++) {
    float weight = exp(-float(i * i) / 24.0);
    sum += weight * texture2D(map, vUv + float(i) / 8.0 * spread).r;
    total += weight;
  }
  gl_FragColor = vec4(sum / total);
}`;
const SHADOW_FRAGMENT_SHADER = `
varying vec2 vUv; uniform sampler2D tight; uniform sampler2D wide; uniform float strength;
void main() {
  vec2 edge = smoothstep(0.0, 0.15, vUv) * smoothstep(0.0, 0.15, 1.0 - vUv);
  float near = texture2D(tight, vUv).r * ${TIGHT_SHADOW.darkness.toFixed(2)};
  float far = texture2D(wide, vUv).r * ${WIDE_SHADOW.darkness.toFixed(2)};
  gl_FragColor = vec4(0.0, 0.0, 0.0, (1.0 - (1.0 - near) * (1.0 - far)) * edge.x * edge.y * strength);
}`;

/** Blurs a texture along one axis. */
export function createBlurMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { map: { value: null }, spread: { value: new Vector2() } },
    vertexShader: FULL_SCREEN_VERTEX_SHADER,
    fragmentShader: BLUR_FRAGMENT_SHADER,
    blending: NoBlending,
    depthTest: false,
    depthWrite: false,
  });
}

/** Shows both shadows on the ground. Their opacity is the uniform `strength`, initially 0. */
export function createGroundMaterial(tight: Texture, wide: Texture): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { tight: { value: tight }, wide: { value: wide }, strength: { value: 0 } },
    vertexShader: GROUND_VERTEX_SHADER,
    fragmentShader: SHADOW_FRAGMENT_SHADER,
    side: BackSide,
    transparent: true,
    depthWrite: false,
    toneMapped: false,
  });
}
