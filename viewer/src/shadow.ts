import {
  BackSide,
  type Material,
  Mesh,
  MeshDepthMaterial,
  NoBlending,
  type Object3D,
  OrthographicCamera,
  PlaneGeometry,
  ShaderMaterial,
  type Texture,
  Vector2,
  WebGLRenderTarget,
} from 'three';
import type { Stage } from './stage.ts';

const PIXELS = 256;
/** The ground reaches beyond the design by this share of its footprint, so the dark can fade. */
const ROOM = 0.45;
/** What hovers higher than this share of the footprint casts nothing. */
const REACH = 0.4;
/** A tight dark where things touch and a wide one around, each a share of the footprint. */
const TIGHT = { blur: 0.02, darkness: 0.42 };
const WIDE = { blur: 0.14, darkness: 0.5 };
/** While a design moves, its shadow follows so often. */
const FOLLOW_SECONDS = 0.1;
const FADE_IN_SECONDS = 0.25;

const FULL_SCREEN = `
varying vec2 at;
void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }`;
const ON_GROUND = `
varying vec2 at;
void main() { at = uv; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`;
/** Seventeen taps of a bell curve along one axis; `spread` is two standard deviations. */
const BLUR = `
varying vec2 at; uniform sampler2D map; uniform vec2 spread;
void main() {
  float sum = 0.0; float total = 0.0;
  for (int i = -8; i <= 8; i++) {
    float weight = exp(-float(i * i) / 24.0);
    sum += weight * texture2D(map, at + float(i) / 8.0 * spread).r;
    total += weight;
  }
  gl_FragColor = vec4(sum / total);
}`;
const DARK = `
varying vec2 at; uniform sampler2D tight; uniform sampler2D wide; uniform float strength;
void main() {
  vec2 edge = smoothstep(0.0, 0.15, at) * smoothstep(0.0, 0.15, 1.0 - at);
  float near = texture2D(tight, at).r * ${TIGHT.darkness.toFixed(2)};
  float far = texture2D(wide, at).r * ${WIDE.darkness.toFixed(2)};
  gl_FragColor = vec4(0.0, 0.0, 0.0, (1.0 - (1.0 - near) * (1.0 - far)) * edge.x * edge.y * strength);
}`;

/**
 * The soft dark where a design stands on the ground: how near to the ground it is, seen from
 * below, blurred. Cast once, and again when the design has changed.
 */
export class Shadow implements Disposable {
  readonly #stage: Stage;
  #root: Object3D;
  readonly #camera: OrthographicCamera;
  readonly #depth = new MeshDepthMaterial({ blending: NoBlending });
  readonly #cast = makeTarget();
  readonly #between = makeTarget();
  readonly #tight = makeTarget();
  readonly #wide = makeTarget();
  readonly #blur = new Mesh(new PlaneGeometry(2, 2), blurMaterial());
  readonly #ground: Mesh<PlaneGeometry, ShaderMaterial>;
  /** The footprint's size in the units of the texture, along both its axes. */
  readonly #footprint: Vector2;
  #sinceCast = 0;

  constructor(stage: Stage, root: Object3D) {
    this.#stage = stage;
    this.#root = root;
    const { size, centre, radius } = stage.outline;
    const footprint = Math.max(Math.hypot(size.x, size.z), radius * 0.05);
    const [width, depth] = [size.x + footprint * ROOM * 2, size.z + footprint * ROOM * 2];
    this.#footprint = new Vector2(footprint / width, footprint / depth);

    const box = [-width / 2, width / 2, depth / 2, -depth / 2, 0, footprint * REACH] as const;
    this.#camera = new OrthographicCamera(...box);
    this.#camera.position.set(centre.x, centre.y - size.y / 2 - radius * 2e-3, centre.z);
    this.#camera.rotation.x = Math.PI / 2;
    this.#camera.updateMatrixWorld();

    const material = groundMaterial(this.#tight.texture, this.#wide.texture);
    this.#ground = new Mesh(new PlaneGeometry(width, depth), material);
    this.#ground.position.copy(this.#camera.position);
    this.#ground.rotation.copy(this.#camera.rotation);
    this.#ground.renderOrder = -1;
    stage.scene.add(this.#ground);
    this.cast();
    stage.move((seconds) => this.#fadeIn(seconds));
  }

  /** Casts the shadow anew. */
  cast(): void {
    const { renderer, scene } = this.#stage;
    const hidden = hideUnshadowed(this.#root, this.#ground);
    const { background } = scene;
    scene.overrideMaterial = this.#depth;
    scene.background = null;
    renderer.setRenderTarget(this.#cast);
    renderer.setClearColor(0x000000, 0);
    renderer.render(scene, this.#camera);
    scene.overrideMaterial = null;
    scene.background = background;
    for (const object of hidden) object.visible = true;
    this.#soften(this.#tight, TIGHT.blur);
    this.#soften(this.#wide, WIDE.blur);
    renderer.setRenderTarget(null);
    this.#sinceCast = 0;
  }

  /** Casts that of another model, from now on. */
  castBy(root: Object3D): void {
    this.#root = root;
    this.cast();
  }

  /** Is there at once. */
  appear(): void {
    this.#fadeIn(FADE_IN_SECONDS);
  }

  /** Casts it anew now and then, while the design moves. */
  follow(seconds: number): void {
    this.#sinceCast += seconds;
    if (this.#sinceCast > FOLLOW_SECONDS) this.cast();
  }

  #soften(into: WebGLRenderTarget, blur: number): void {
    const { x, y } = this.#footprint;
    this.#blurAlong(this.#cast, this.#between, [blur * x, 0]);
    this.#blurAlong(this.#between, into, [0, blur * y]);
  }

  #blurAlong(from: WebGLRenderTarget, to: WebGLRenderTarget, spread: [number, number]): void {
    const { map, spread: along } = this.#blur.material.uniforms;
    if (map) map.value = from.texture;
    along?.value.set(...spread);
    this.#stage.renderer.setRenderTarget(to);
    this.#stage.renderer.render(this.#blur, this.#camera);
  }

  #fadeIn(seconds: number): boolean {
    const { strength } = this.#ground.material.uniforms;
    if (strength) strength.value = Math.min(strength.value + seconds / FADE_IN_SECONDS, 1);
    return strength?.value < 1;
  }

  [Symbol.dispose](): void {
    this.#stage.scene.remove(this.#ground);
    for (const target of [this.#cast, this.#between, this.#tight, this.#wide]) target.dispose();
    for (const mesh of [this.#ground, this.#blur]) {
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
    this.#depth.dispose();
  }
}

function makeTarget(): WebGLRenderTarget {
  return new WebGLRenderTarget(PIXELS, PIXELS);
}

/** Takes from the stage, for the cast, what lets light through. Gives what was hidden. */
function hideUnshadowed(root: Object3D, ground: Object3D): Object3D[] {
  const hidden: Object3D[] = [ground];
  root.traverseVisible((object) => {
    const material = (object as Partial<Mesh>).material as Material | undefined;
    const { transmission = 0 } = (material ?? {}) as { transmission?: number };
    const solid = object instanceof Mesh && !material?.transparent && transmission === 0;
    if (material !== undefined && !solid) hidden.push(object);
  });
  for (const object of hidden) object.visible = false;
  return hidden;
}

function blurMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { map: { value: null }, spread: { value: new Vector2() } },
    vertexShader: FULL_SCREEN,
    fragmentShader: BLUR,
    blending: NoBlending,
    depthTest: false,
    depthWrite: false,
  });
}

function groundMaterial(tight: Texture, wide: Texture): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { tight: { value: tight }, wide: { value: wide }, strength: { value: 0 } },
    vertexShader: ON_GROUND,
    fragmentShader: DARK,
    side: BackSide,
    transparent: true,
    depthWrite: false,
    toneMapped: false,
  });
}
