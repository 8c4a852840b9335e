import { ViewerProblem } from '@cloche/contract/viewer-problem';
import type { EventEmitter } from '../event-emitter.ts';
import type { LoadedModel } from '../loader/prepare-model.ts';
import type { ViewerEvents } from '../viewer-events.ts';

type Events = Pick<EventEmitter<ViewerEvents>, 'on'>;

/**
 * The complete model of a design. Its preview does not count: that has no parts, variants and animations.
 *
 * The model is undefined until it has loaded for the first time, and while it is unloaded because the document is out of
 * view. Then it is loaded again, and is another object.
 */
export class ModelAccess {
  readonly #events: Events;
  readonly #getModel: () => LoadedModel | undefined;
  #hasLoaded: boolean;
  #hasFailed = false;

  constructor(events: Events, getModel: () => LoadedModel | undefined) {
    this.#events = events;
    this.#getModel = getModel;
    this.#hasLoaded = getModel() !== undefined;
    events.on('modelchange', ({ isPreview }) => {
      this.#hasLoaded ||= !isPreview;
    });
    events.on('error', () => {
      this.#hasFailed = true;
    });
    events.on('progress', () => {
      this.#hasFailed = false;
    });
  }

  get model(): LoadedModel | undefined {
    return this.#getModel();
  }

  /** Calls the listener with the model as soon as it has loaded for the first time. */
  onFirstModel(listener: (model: LoadedModel) => void): void {
    const { model } = this;
    if (model !== undefined) {
      listener(model);
      return;
    }
    const subscription = this.#events.on('modelchange', ({ model, isPreview }) => {
      if (isPreview) return;
      subscription[Symbol.dispose]();
      listener(model);
    });
  }

  /**
   * Resolves when the model has loaded for the first time.
   *
   * @throws {ViewerProblem} viewer.not-ready: the model could not be loaded
   */
  whenLoaded(): Promise<void> {
    if (this.#hasLoaded) return Promise.resolve();
    const problem = () => new ViewerProblem('viewer.not-ready');
    if (this.#hasFailed) return Promise.reject(problem());
    return new Promise((resolve, reject) => {
      const subscriptions = [
        this.#events.on('modelchange', ({ isPreview }) => {
          if (!isPreview) end(resolve);
        }),
        this.#events.on('error', () => end(() => reject(problem()))),
      ];
      const end = (settle: () => void) => {
        for (const subscription of subscriptions) subscription[Symbol.dispose]();
        settle();
      };
    });
  }
}
