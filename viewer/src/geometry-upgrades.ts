import type { BufferGeometry, Object3D } from 'three';
import { findLargerGeometry, type GeometryLevels } from './loader/geometry-levels.ts';
import { measureModelScale } from './measure-model-scale.ts';
import { observeSize } from './observe-size.ts';
import type { SceneRenderer } from './renderer/scene-renderer.ts';
import { uploadGeometries } from './renderer/upload-geometries.ts';
import type { Viewer } from './viewer.ts';

/** After an error, the larger geometry is not requested again for this time. */
const RETRY_DELAY_MS = 30_000;

/**
 * Loads the larger geometry when the screen can show it: at once in a large iframe, after zooming in, in fullscreen. A
 * geometry is never replaced by a smaller one.
 *
 * Where the larger one is needed at once, the poster stays until it is shown: the first geometry is less sharp.
 */
export class GeometryUpgrades implements Disposable {
  readonly #viewer: Viewer;
  readonly #renderer: SceneRenderer;
  readonly #subscriptions: readonly Disposable[];
  #running: AbortController | undefined;
  #retryAt = 0;

  constructor(viewer: Viewer, renderer: SceneRenderer, view: HTMLElement) {
    this.#viewer = viewer;
    this.#renderer = renderer;
    this.#subscriptions = [
      viewer.on('modelchange', () => this.#restart()),
      viewer.on('viewchange', ({ goal }) => this.#check(goal.zoom)),
      viewer.on('contextlost', () => this.#abort()),
      observeSize(view, () => this.#check()),
      viewer.on('contextrestored', () => this.#restart()),
    ];
    this.#check();
  }

  get #levels(): GeometryLevels | undefined {
    return this.#viewer.model?.geometryLevels;
  }

  #restart(): void {
    this.#abort();
    this.#check();
  }

  #check(zoom?: number): void {
    const levels = this.#levels;
    if (levels === undefined || this.#renderer.isSuspended || this.#running) return;
    const geometry = findLargerGeometry(levels, measureModelScale(this.#renderer, zoom));
    if (geometry === undefined) this.#reveal();
    else if (performance.now() >= this.#retryAt) void this.#replace(levels, geometry);
  }

  async #replace(levels: GeometryLevels, geometry: GeometryLevels['shown']): Promise<void> {
    const abortController = new AbortController();
    this.#running = abortController;
    const { signal } = abortController;
    const assertActive = () => {
      // The model may have been unloaded, and its context given to another document.
      if (this.#renderer.isSuspended || this.#levels !== levels) abortController.abort();
      signal.throwIfAborted();
    };
    try {
      const file = await levels.load(geometry, signal);
      assertActive();
      const replacements = pairGeometries(levels.objects, await levels.parse(file));
      assertActive();
      await uploadGeometries(replacements.values(), this.#renderer, assertActive);
      this.#swap(replacements);
      levels.shown = geometry;
      levels.objects = levels.objects.map((old) => replacements.get(old) ?? old);
    } catch {
      // The smaller geometry stays: it is no reason to disturb a visitor.
      if (!signal.aborted) this.#retryAt = performance.now() + RETRY_DELAY_MS;
    }
    if (this.#running === abortController) this.#running = undefined;
    if (!signal.aborted) this.#reveal();
  }

  /** Replaces the geometries of all objects in one frame, also of those that were added to the model later. */
  #swap(replacements: ReadonlyMap<BufferGeometry, BufferGeometry>): void {
    this.#renderer.root.traverse((object: Object3D & { geometry?: BufferGeometry }) => {
      const replacement = object.geometry && replacements.get(object.geometry);
      if (replacement) object.geometry = replacement;
    });
    for (const old of replacements.keys()) old.dispose();
    this.#renderer.requestRender();
  }

  #reveal(): void {
    if (this.#renderer.isRevealed) return;
    this.#viewer.hidePoster();
    // Of two marks, the later one is that of the complete model.
    performance.mark('cloche-model-frame');
  }

  #abort(): void {
    this.#running?.abort();
    this.#running = undefined;
  }

  [Symbol.dispose](): void {
    this.#abort();
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
  }
}

/**
 * Pairs the geometries of the same objects, without those that are equal.
 *
 * @throws {Error} the files have other objects
 */
function pairGeometries(
  shown: readonly BufferGeometry[],
  larger: readonly BufferGeometry[],
): Map<BufferGeometry, BufferGeometry> {
  if (shown.length !== larger.length) throw new Error('The geometries have different objects.');
  return new Map(
    shown.flatMap((geometry, index) => {
      const replacement = larger[index];
      const isEqual =
        replacement === undefined || countVertices(geometry) === countVertices(replacement);
      return isEqual ? [] : [[geometry, replacement]];
    }),
  );
}

function countVertices({ index, attributes }: BufferGeometry): string {
  return `${index?.count} ${attributes.position?.count}`;
}
