import {
  type Material,
  Mesh,
  MeshDepthMaterial,
  NoBlending,
  type Object3D,
  OrthographicCamera,
  PlaneGeometry,
  ShaderMaterial,
  Vector2,
  WebGLRenderTarget,
} from 'three';
import type { Stage } from './stage.ts';

const PIXELS = 256;
/** The ground is larger than the design's footprint by this, so the shadow has room to fade. */
const SPREAD = 1.5;
const DARKNESS = 0.5;
/** What hovers higher than this share of the footprint casts nothing. */
const REACH = 0.45;
/** Of the ground's extent: a tight shadow where things touch. */
const BLUR = 0.016;
/** While a design moves, its shadow follows so often. */
const FOLLOW_SECONDS = 0.1;

const FULL_SCREEN =
  'varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }';
const ON_GROUND =
  'varying vec2 at; void main() { at = uv; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }';
const BLURRED = `
varying vec2 at; uniform sampler2D map; uniform vec2 step;
void main() {
  float sum = 0.0; float total = 0.0;
  for (int i = -8; i <= 8; i++) {
    float weight = exp(-float(i * i) / 24.0);
    sum += weight * texture2D(map, at + float(i) / 8.0 * step).r; total += weight;
  }
  gl_FragColor = vec4(sum / total);
}`;
const DARK = `
varying vec2 at; uniform sampler2D map; uniform float darkness;
void main() {
  vec2 edge = smoothstep(0.0, 0.12, at) * smoothstep(0.0, 0.12, 1.0 - at);
  gl_FragColor = vec4(0.0, 0.0, 0.0, texture2D(map, at).r * darkness * edge.x * edge.y);
}`;

/**
 * The soft dark where a design stands on the ground: how near to the ground it is, seen from
 * below, blurred. Cast once, and again when the design has changed.
 */
export class Shadow implements Disposable {
  readonly #stage: Stage;
  readonly #root: Object3D;
  readonly #camera: OrthographicCamera;
  readonly #depth = new MeshDepthMaterial({ blending: NoBlending });
  readonly #targets = [0, 1].map(() => new WebGLRenderTarget(PIXELS, PIXELS)) as [
    WebGLRenderTarget,
    WebGLRenderTarget,
  ];
  readonly #blur: Mesh<PlaneGeometry, ShaderMaterial>;
  readonly #ground: Mesh<PlaneGeometry, ShaderMaterial>;
  #sinceCast = 0;

  constructor(stage: Stage, root: Object3D) {
    this.#stage = stage;
    this.#root = root;
    const { size, centre, radius } = stage.outline;
    const footprint = Math.max(Math.hypot(size.x, size.z), radius * 0.05);
    const [width, depth] = [size.x + footprint * (SPREAD - 1), size.z + footprint * (SPREAD - 1)];
    const floor = centre.y - size.y / 2 - radius * 2e-3;

    this.#camera = new OrthographicCamera(
      -width / 2,
      width / 2,
      depth / 2,
      -depth / 2,
      0,
      footprint * REACH,
    );
    this.#camera.position.set(centre.x, floor, centre.z);
    this.#camera.rotation.x = Math.PI / 2;
    this.#camera.updateMatrixWorld();
    this.#blur = new Mesh(new PlaneGeometry(2, 2), blurMaterial());
    this.#ground = new Mesh(new PlaneGeometry(width, depth), groundMaterial(this.#targets[0]));
    this.#ground.position.copy(this.#camera.position);
    this.#ground.rotation.x = -Math.PI / 2;
    this.#ground.renderOrder = -1;
    stage.scene.add(this.#ground);
    this.cast();
    stage.redraw();
  }

  /** Casts the shadow anew. */
  cast(): void {
    const { renderer, scene } = this.#stage;
    const hidden = hideUnshadowed(this.#root, this.#ground);
    const before = { target: renderer.getRenderTarget(), override: scene.overrideMaterial };
    scene.overrideMaterial = this.#depth;
    renderer.setRenderTarget(this.#targets[0]);
    renderer.setClearColor(0x000000, 0);
    renderer.clear();
    renderer.render(scene, this.#camera);
    scene.overrideMaterial = before.override;
    for (const object of hidden) object.visible = true;
    this.#blurAlong(0, 1, new Vector2(BLUR * 2, 0));
    this.#blurAlong(1, 0, new Vector2(0, BLUR * 2));
    renderer.setRenderTarget(before.target);
    this.#sinceCast = 0;
  }

  /** Casts it anew now and then, while the design moves. */
  follow(seconds: number): void {
    this.#sinceCast += seconds;
    if (this.#sinceCast > FOLLOW_SECONDS) this.cast();
  }

  #blurAlong(from: 0 | 1, to: 0 | 1, step: Vector2): void {
    const { uniforms } = this.#blur.material;
    Object.assign(uniforms, { map: { value: this.#targets[from].texture }, step: { value: step } });
    this.#stage.renderer.setRenderTarget(this.#targets[to]);
    this.#stage.renderer.render(this.#blur, this.#camera);
  }

  [Symbol.dispose](): void {
    this.#stage.scene.remove(this.#ground);
    for (const target of this.#targets) target.dispose();
    for (const mesh of [this.#ground, this.#blur]) {
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
    this.#depth.dispose();
  }
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
    uniforms: { map: { value: null }, step: { value: new Vector2() } },
    vertexShader: FULL_SCREEN,
    fragmentShader: BLURRED,
    blending: NoBlending,
    depthTest: false,
    depthWrite: false,
  });
}

function groundMaterial({ texture }: WebGLRenderTarget): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { map: { value: texture }, darkness: { value: DARKNESS } },
    vertexShader: ON_GROUND,
    fragmentShader: DARK,
    transparent: true,
    depthWrite: false,
    toneMapped: false,
  });
}
