import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { WebGLRenderer } from 'three';
import { requestAsset } from '../request-asset.ts';
import { type DownloadProgress, download } from './download.ts';
import { type LoadedModel, prepareModel } from './prepare-model.ts';

type ModelLoaderOptions = {
  config: ViewerConfig;
  renderer: WebGLRenderer;
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

  /** @throws {ViewerError} as `download` and `prepareModel` */
  async loadModel(response: Promise<Response>): Promise<LoadedModel> {
    const { config, renderer, onProgress } = this.#options;
    const file = await download(response, config.model.bytes, onProgress);
    return prepareModel(file, renderer, config);
  }

  /**
   * Loads the preview; undefined if that fails. The model is requested after the preview has been
   * downloaded: earlier, it would compete with the preview and the scripts for bandwidth.
   */
  async loadPreview(
    response: Promise<Response>,
  ): Promise<{ preview: LoadedModel | undefined; modelResponse: Promise<Response> }> {
    const { config, renderer } = this.#options;
    const bytes = config.preview?.bytes ?? 0;
    const file = await download(response, bytes, () => {}).catch(() => undefined);
    const modelResponse = this.requestModel();
    const preview = file && (await prepareModel(file, renderer, config).catch(() => undefined));
    return { preview, modelResponse };
  }
}
