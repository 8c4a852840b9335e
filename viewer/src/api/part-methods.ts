import type { CameraMovement, PartNode, PickResult } from '@cloche/contract/message';
import { parseColor } from '@cloche/contract/option-values';
import { ViewerProblem } from '@cloche/contract/viewer-problem';
import { createArgumentProblem } from '../argument-problem.ts';
import type { LoadedModel } from '../loader/prepare-model.ts';
import { getFrameSize, type SceneRenderer } from '../renderer/scene-renderer.ts';
import { castRay, type ScreenPoint } from '../scene/cast-ray.ts';
import { type ModelBounds, measureDrawings } from '../scene/model-bounds.ts';
import { PartAppearance } from '../scene/part-appearance.ts';
import { createPartTree, type Part, type PartTree } from '../scene/part-tree.ts';
import type { CameraSource } from '../viewer-events.ts';
import type { CameraMethods } from './camera-methods.ts';
import type { ModelAccess } from './model-access.ts';
import { toPickResult } from './pick-result.ts';

type PartMethodsOptions = {
  access: ModelAccess;
  renderer: SceneRenderer;
  camera: CameraMethods;
  /** Called when parts have been shown, hidden or colored. */
  onChange: () => void;
};

/** The objects of a model that is loaded. */
type PartObjects = { draws: PartTree['draws']; appearance: PartAppearance; model: LoadedModel };

/**
 * The parts of a model. Which are hidden, and their colors, stay when the model is loaded again: it has the same parts with
 * the same ids.
 */
export class PartMethods {
  readonly #options: PartMethodsOptions;
  #roots: readonly Part[] = [];
  #parts: readonly Part[] = [];
  /** Undefined while the model is unloaded. */
  #objects: PartObjects | undefined;
  readonly #hidden = new Set<number>();
  readonly #colors = new Map<number, string>();

  constructor(options: PartMethodsOptions) {
    this.#options = options;
    options.access.onFirstModel((model) => {
      const { roots, parts, draws } = createPartTree(model.root, model.shadow);
      this.#roots = roots;
      this.#parts = parts;
      this.#objects = { draws, appearance: new PartAppearance(draws), model };
    });
  }

  getParts(): PartNode[] {
    return this.#roots.map((part) => this.#toNode(part));
  }

  /** @throws {ViewerProblem} viewer.unknown-part */
  showParts(ids: readonly number[]): void {
    for (const id of this.#listWithin(ids)) this.#hidden.delete(id);
    this.#update();
  }

  /** @throws {ViewerProblem} viewer.unknown-part */
  hideParts(ids: readonly number[]): void {
    for (const id of this.#listWithin(ids)) this.#hidden.add(id);
    this.#update();
  }

  /** Shows only these parts. @throws {ViewerProblem} viewer.unknown-part */
  isolateParts(ids: readonly number[]): void {
    const shown = new Set(this.#listWithin(ids));
    for (const { id } of this.#parts) {
      if (shown.has(id)) this.#hidden.delete(id);
      else this.#hidden.add(id);
    }
    this.#update();
  }

  /**
   * Replaces the base color of parts; null restores it. Textures stay, multiplied by the color.
   *
   * @throws {ViewerProblem} viewer.unknown-part or viewer.invalid-argument
   */
  setPartColor(ids: readonly number[], color: string | null): void {
    const value = color === null ? undefined : readColor(color);
    for (const id of this.#listWithin(ids)) {
      if (value === undefined) this.#colors.delete(id);
      else this.#colors.set(id, value);
    }
    this.#update();
  }

  /** Shows all parts with their own materials. */
  resetParts(): void {
    this.#hidden.clear();
    this.#colors.clear();
    this.#update();
  }

  /**
   * Moves the camera, in its present direction, so that a part fills the frame. Without a part, all that is visible.
   *
   * @throws {ViewerProblem} viewer.unknown-part or viewer.invalid-argument
   */
  frame(part: number | undefined, movement: CameraMovement, source: CameraSource): Promise<void> {
    return this.#options.camera.frame(this.#measure(part), movement, source);
  }

  /** Returns the visible point of the model at a position. Null on the background. The model must be loaded. */
  pick(position: ScreenPoint): PickResult | null {
    const { renderer } = this.#options;
    const { camera, unitsPerPixel } = renderer.viewCamera;
    if (this.#objects === undefined) return null;
    const { model, appearance } = this.#objects;
    const hit = castRay(position, {
      frame: getFrameSize(renderer),
      camera,
      root: model.root,
      tolerance: unitsPerPixel * LINE_TOLERANCE_PIXELS,
    });
    const id = hit && appearance.findPart(hit.object, hit.instanceId);
    const part = id === undefined ? undefined : this.#parts[id];
    return hit && part ? toPickResult(hit, part, camera) : null;
  }

  /** Must be called before the model is unloaded. */
  save(): void {
    this.#objects?.appearance[Symbol.dispose]();
    this.#objects = undefined;
  }

  /** Applies the state to a model that has been loaded again. */
  restore(model: LoadedModel): void {
    const { draws } = createPartTree(model.root, model.shadow);
    this.#objects = { draws, appearance: new PartAppearance(draws), model };
    this.apply();
  }

  /** Applies the state to the model, also after another variant has replaced its materials. */
  apply(): void {
    if (this.#objects === undefined) return;
    const { appearance, model } = this.#objects;
    appearance.apply((id) => ({ visible: !this.#hidden.has(id), color: this.#colors.get(id) }));
    // The shadow is that of the whole model. Without a model it would look like an error.
    const anyVisible = this.#roots.some((part) => this.#isVisible(part));
    if (model.shadow) model.shadow.layers.mask = anyVisible ? 1 : 0;
  }

  #update(): void {
    this.apply();
    this.#options.renderer.requestRender();
    this.#options.onChange();
  }

  #toNode(part: Part): PartNode {
    const { id, name, triangles, children } = part;
    const nodes = children.map((child) => this.#toNode(child));
    return { id, name, visible: this.#isVisible(part), triangles, children: nodes };
  }

  #isVisible({ id, isDrawn, children }: Part): boolean {
    return (isDrawn && !this.#hidden.has(id)) || children.some((child) => this.#isVisible(child));
  }

  /** Returns the ids of these parts and of all parts in them. */
  #listWithin(ids: readonly number[]): number[] {
    if (!Array.isArray(ids)) throw createArgumentProblem('ids', 'a list of ids of parts');
    const parts = ids.map((id) => this.#getPart(id));
    const found = new Set<number>();
    const visit = ({ id, children }: Part) => {
      if (found.has(id)) return;
      found.add(id);
      children.forEach(visit);
    };
    parts.forEach(visit);
    return [...found];
  }

  #getPart(id: number): Part {
    const part = Number.isInteger(id) ? this.#parts[id] : undefined;
    if (part === undefined) throw new ViewerProblem('viewer.unknown-part', `Id: ${String(id)}.`);
    return part;
  }

  #measure(part: number | undefined): ModelBounds {
    const { renderer } = this.#options;
    const visible = this.#parts.filter(({ id }) => !this.#hidden.has(id)).map(({ id }) => id);
    const ids = part === undefined ? visible : this.#listWithin([part]);
    if (this.#objects === undefined) return renderer.viewCamera.bounds;
    const { draws, appearance } = this.#objects;
    const drawings = ids
      .flatMap((id) => draws[id] ?? [])
      .map((draw) => ({ object: draw.object, instances: appearance.listInstanceMatrices(draw) }));
    return measureDrawings(drawings) ?? renderer.viewCamera.bounds;
  }
}

/** How close to a line or a point a click must be. CSS pixels. */
const LINE_TOLERANCE_PIXELS = 4;

function readColor(color: unknown): string {
  const value = typeof color === 'string' ? parseColor(color) : undefined;
  if (value?.startsWith('#')) return value;
  throw createArgumentProblem('color', 'a color such as "#2463eb", or null');
}
