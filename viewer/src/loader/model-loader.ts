import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { WebGLRenderer } from 'three';
import { requestAsset } from '../request-asset.ts';
import { type DownloadProgress, download } from './download.ts';
import { type LoadedModel, prepareModel } from './prepare-model.ts';

type ModelLoaderOptions = {
  config: ViewerConfig;
  /** Called after a download: the first request does not wait for the renderer. */
  getRenderer: () => WebGLRenderer;
  /** Called for the model, not for the preview. */
  onProgress: (progress: DownloadProgress) => void;
};

/** Downloads and prepares the preview and the model of a design. */
export class ModelLoader {
  readonly #options: ModelLoaderOptions;

  constructor(options: ModelLoaderOptions) {
    this.#options = options;
  }

  requestModel(): Promise<Response> {
    const { model, grant } = this.#options.config;
    return requestAsset(model.url, grant);
  }

  /** Starts to load the model. Both results reject with a ViewerError: as `download`, or as `prepareModel`. */
  loadModel(response: Promise<Response>): {
    file: Promise<ArrayBuffer>;
    model: Promise<LoadedModel>;
  } {
    const { config, onProgress } = this.#options;
    const file = download(response, config.model.bytes, onProgress);
    const model = file.then((bytes) => this.prepare(bytes));
    // The caller may await the model later; until then, a failure must not count as unhandled.
    model.catch(() => undefined);
    return { file, model };
  }

  /** Downloads the preview; undefined if that fails. */
  downloadPreview(response: Promise<Response>): Promise<ArrayBuffer | undefined> {
    const bytes = this.#options.config.preview?.bytes ?? 0;
    return download(response, bytes, () => {}).catch(() => undefined);
  }

  /** @throws {ViewerError} as `prepareModel` */
  async prepare(file: ArrayBuffer): Promise<LoadedModel> {
    const { getRenderer, config } = this.#options;
    return prepareModel(file, getRenderer(), config);
  }
}
