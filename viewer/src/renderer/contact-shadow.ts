import {
  type Material,
  Mesh,
  MeshDepthMaterial,
  NoBlending,
  type Object3D,
  OrthographicCamera,
  PlaneGeometry,
  type ShaderMaterial,
  Vector2,
  WebGLRenderTarget,
} from 'three';
import type { SceneRenderer } from './scene-renderer.ts';
import {
  createBlurMaterial,
  createGroundMaterial,
  TIGHT_SHADOW,
  WIDE_SHADOW,
} from './shadow-materials.ts';

/** Width and height of the textures, texels. */
const TARGET_SIZE = 256;
/** The ground extends beyond the model by this fraction of the footprint, so that the shadow can fade. */
const MARGIN = 0.45;
/** Parts higher above the ground than this fraction of the footprint cast no shadow. */
const MAX_HEIGHT = 0.4;
/** The time between two updates of the shadow while the model is animated. */
const UPDATE_INTERVAL_SECONDS = 0.1;
const FADE_IN_SECONDS = 0.25;

/**
 * A soft shadow on the ground below a model: the depth of the model, rendered from below and blurred. It
 * is rendered once, and again when `update` is called.
 */
export class ContactShadow implements Disposable {
  readonly #sceneRenderer: SceneRenderer;
  #root: Object3D;
  readonly #camera: OrthographicCamera;
  readonly #depthMaterial = new MeshDepthMaterial({ blending: NoBlending });
  readonly #depthTarget = createRenderTarget();
  readonly #intermediateTarget = createRenderTarget();
  readonly #tightTarget = createRenderTarget();
  readonly #wideTarget = createRenderTarget();
  readonly #blurQuad = new Mesh(new PlaneGeometry(2, 2), createBlurMaterial());
  readonly #groundPlane: Mesh<PlaneGeometry, ShaderMaterial>;
  /** The size of the footprint in texture coordinates (1 is the whole texture), along both axes. */
  readonly #footprint: Vector2;
  #secondsSinceUpdate = 0;

  constructor(renderer: SceneRenderer, root: Object3D) {
    this.#sceneRenderer = renderer;
    this.#root = root;
    const { size, center, radius } = renderer.viewCamera.bounds;
    const footprint = Math.max(Math.hypot(size.x, size.z), radius * 0.05);
    const [width, depth] = [size.x + footprint * MARGIN * 2, size.z + footprint * MARGIN * 2];
    this.#footprint = new Vector2(footprint / width, footprint / depth);

    const box = [-width / 2, width / 2, depth / 2, -depth / 2, 0, footprint * MAX_HEIGHT] as const;
    this.#camera = new OrthographicCamera(...box);
    this.#camera.position.set(center.x, center.y - size.y / 2 - radius * 2e-3, center.z);
    this.#camera.rotation.x = Math.PI / 2;
    this.#camera.updateMatrixWorld();

    const material = createGroundMaterial(this.#tightTarget.texture, this.#wideTarget.texture);
    this.#groundPlane = new Mesh(new PlaneGeometry(width, depth), material);
    this.#groundPlane.position.copy(this.#camera.position);
    this.#groundPlane.rotation.copy(this.#camera.rotation);
    this.#groundPlane.renderOrder = -1;
    renderer.scene.add(this.#groundPlane);
    this.update();
    renderer.addFrameCallback((seconds) => this.#fadeIn(seconds));
  }

  /** Renders the shadow again. */
  update(): void {
    const { webGLRenderer, scene } = this.#sceneRenderer;
    const hidden = hideNonCasters(this.#root, this.#groundPlane);
    const { background } = scene;
    scene.overrideMaterial = this.#depthMaterial;
    scene.background = null;
    webGLRenderer.setRenderTarget(this.#depthTarget);
    webGLRenderer.setClearColor(0x000000, 0);
    webGLRenderer.render(scene, this.#camera);
    scene.overrideMaterial = null;
    scene.background = background;
    for (const object of hidden) object.visible = true;
    this.#blurInto(this.#tightTarget, TIGHT_SHADOW.blur);
    this.#blurInto(this.#wideTarget, WIDE_SHADOW.blur);
    webGLRenderer.setRenderTarget(null);
    this.#secondsSinceUpdate = 0;
  }

  /** Renders the shadow of another model. */
  setModel(root: Object3D): void {
    this.#root = root;
    this.update();
  }

  /** Skips the fade-in. */
  showImmediately(): void {
    this.#fadeIn(FADE_IN_SECONDS);
  }

  /** Updates the shadow of an animated model, at most once per UPDATE_INTERVAL_SECONDS. */
  updateThrottled(seconds: number): void {
    this.#secondsSinceUpdate += seconds;
    if (this.#secondsSinceUpdate > UPDATE_INTERVAL_SECONDS) this.update();
  }

  #blurInto(into: WebGLRenderTarget, blur: number): void {
    const { x, y } = this.#footprint;
    this.#blurAxis(this.#depthTarget, this.#intermediateTarget, [blur * x, 0]);
    this.#blurAxis(this.#intermediateTarget, into, [0, blur * y]);
  }

  #blurAxis(from: WebGLRenderTarget, to: WebGLRenderTarget, spread: [number, number]): void {
    const { map, spread: along } = this.#blurQuad.material.uniforms;
    if (map) map.value = from.texture;
    along?.value.set(...spread);
    this.#sceneRenderer.webGLRenderer.setRenderTarget(to);
    this.#sceneRenderer.webGLRenderer.render(this.#blurQuad, this.#camera);
  }

  #fadeIn(seconds: number): boolean {
    const { strength } = this.#groundPlane.material.uniforms;
    if (strength) strength.value = Math.min(strength.value + seconds / FADE_IN_SECONDS, 1);
    return strength?.value < 1;
  }

  [Symbol.dispose](): void {
    this.#sceneRenderer.scene.remove(this.#groundPlane);
    for (const target of [
      this.#depthTarget,
      this.#intermediateTarget,
      this.#tightTarget,
      this.#wideTarget,
    ])
      target.dispose();
    for (const mesh of [this.#groundPlane, this.#blurQuad]) {
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
    this.#depthMaterial.dispose();
  }
}

function createRenderTarget(): WebGLRenderTarget {
  return new WebGLRenderTarget(TARGET_SIZE, TARGET_SIZE);
}

/** Hides the ground and all transparent objects. Returns the hidden objects. */
function hideNonCasters(root: Object3D, ground: Object3D): Object3D[] {
  const hidden: Object3D[] = [ground];
  root.traverseVisible((object) => {
    const material = (object as Partial<Mesh>).material as Material | undefined;
    const { transmission = 0 } = (material ?? {}) as { transmission?: number };
    const isOpaque = object instanceof Mesh && !material?.transparent && transmission === 0;
    if (material !== undefined && !isOpaque) hidden.push(object);
  });
  for (const object of hidden) object.visible = false;
  return hidden;
}
