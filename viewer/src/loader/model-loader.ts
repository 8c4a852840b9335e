import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { WebGLRenderer } from 'three';
import { getPixelRatio } from '../pixel-ratio.ts';
import { type DownloadProgress, download } from './download.ts';
import { parseGeometries } from './parse-model.ts';
import { type LoadedModel, type ModelParts, prepareModel } from './prepare-model.ts';
import { type ModelFile, requestModelFile } from './request-model-file.ts';
import { type Geometry, getMaxTriangles, selectGeometry } from './select-geometry.ts';
import {
  estimateModelScale,
  type ModelScale,
  selectTexturePack,
  type TexturePack,
} from './select-texture-pack.ts';
import { TextureLevels } from './texture-levels.ts';

type ModelLoaderOptions = {
  config: ViewerConfig;
  /** Where the model is shown. */
  view: HTMLElement;
  /** Called after a download: the first request does not wait for the renderer. */
  getRenderer: () => WebGLRenderer;
  /** Called for the model, not for the preview. */
  onProgress: (progress: DownloadProgress) => void;
};

/** A model that is being loaded. The results reject with a ViewerError: as `download`, or as `prepareModel`. */
type LoadingModel = {
  /** The size of all its files. */
  bytes: number;
  /** Resolves when all files are downloaded. */
  files: Promise<unknown>;
  model: Promise<LoadedModel>;
};

type RequestedPack = { pack: TexturePack; response: Promise<Response> };

/** Downloads and prepares the preview and the model of a design: the whole file, or geometry and texture pack. */
export class ModelLoader {
  readonly #options: ModelLoaderOptions;
  #requestedPack: RequestedPack | undefined;
  #geometry: Geometry | undefined;

  constructor(options: ModelLoaderOptions) {
    this.#options = options;
    this.#geometry = options.config.levels?.geometries[0];
  }

  /**
   * Requests a geometry and the texture pack, or the whole file if there are no levels. The geometry is the first one.
   *
   * @param shownScale the scale of a model that is shown again: then geometry and textures are those that the view can show, as in
   *   the picture that they replace
   */
  requestModel(shownScale?: ModelScale): Promise<Response> {
    const { model, levels } = this.#options.config;
    if (levels && shownScale)
      this.#geometry = selectGeometry(levels.geometries, shownScale, getMaxTriangles(navigator));
    const response = this.#request(this.#geometry ?? model);
    this.#requestedPack = this.#requestPack(shownScale);
    return response;
  }

  /** Starts to load the model: the whole file, or geometry and texture pack. */
  loadModel(response: Promise<Response>): LoadingModel {
    const { config } = this.#options;
    const geometry = this.#geometry ?? config.model;
    const requestedPack = this.#requestedPack ?? this.#requestPack();
    const bytes = geometry.bytes + (requestedPack?.pack.bytes ?? 0);
    const failed = new AbortController();
    const trackDownload = this.#trackDownloads(bytes, failed.signal);
    const file = download(response, geometry.bytes, trackDownload());
    const packFile =
      requestedPack && download(requestedPack.response, requestedPack.pack.bytes, trackDownload());
    const textureLevels =
      requestedPack && packFile && this.#openTextureLevels(requestedPack.pack, packFile);
    const geometryLevels = this.#createGeometryLevels();
    const model = file.then((bytes) => this.prepare(bytes, { textureLevels, geometryLevels }));
    // The caller may await the results later; until then, a failure must not count as unhandled.
    const files = Promise.all([file, packFile]);
    files.catch(() => failed.abort());
    for (const result of [files, model]) result.catch(() => undefined);
    return { bytes, files, model };
  }

  /** Downloads the preview; undefined if that fails. */
  downloadPreview(response: Promise<Response>): Promise<ArrayBuffer | undefined> {
    const bytes = this.#options.config.preview?.bytes ?? 0;
    return download(response, bytes, () => {}).catch(() => undefined);
  }

  /** @throws {ViewerError} as `prepareModel` */
  async prepare(file: ArrayBuffer, parts?: ModelParts): Promise<LoadedModel> {
    const { getRenderer, config } = this.#options;
    return prepareModel(file, getRenderer(), config, parts);
  }

  #createGeometryLevels(): ModelParts['geometryLevels'] {
    const { getRenderer, config } = this.#options;
    const { geometries = [] } = config.levels ?? {};
    const shown = this.#geometry;
    if (shown === undefined || geometries.length < 2) return undefined;
    return {
      geometries,
      shown,
      load: (geometry, signal) => this.#downloadFile(geometry, signal),
      parse: (file) => parseGeometries(file, getRenderer()),
    };
  }

  #downloadFile(file: ModelFile, signal: AbortSignal): Promise<ArrayBuffer> {
    return download(this.#request(file, signal), file.bytes, () => {});
  }

  #request(file: ModelFile, signal?: AbortSignal): Promise<Response> {
    const response = requestModelFile(file, this.#options.config, signal);
    // The caller may await the response later; until then a failure must not count as unhandled.
    response.catch(() => undefined);
    return response;
  }

  /** Requests the texture pack that the view can show. Undefined if the model has none. */
  #requestPack(scale = this.#estimateScale()): RequestedPack | undefined {
    const { config, view } = this.#options;
    const { levels } = config;
    if (levels === undefined) return undefined;
    // A hidden frame has no size. When it has one, texture-upgrades.ts loads the pack for it.
    const isHidden = view.clientWidth === 0 || view.clientHeight === 0;
    const pack = isHidden ? levels.textures[0] : selectTexturePack(levels, scale);
    return pack && { pack, response: this.#request(pack) };
  }

  /** Undefined if it is not known how large the model is. */
  #estimateScale(): ModelScale | undefined {
    const { config, view } = this.#options;
    const { bounds } = config.model;
    return bounds && estimateModelScale(bounds, view, getPixelRatio());
  }

  #openTextureLevels({ size }: TexturePack, file: Promise<ArrayBuffer>): TextureLevels {
    const { levels } = this.#options.config;
    return new TextureLevels(size, file, {
      select: (scale, fits) => levels && selectTexturePack(levels, scale, fits),
      load: (pack, signal) => this.#downloadFile(pack, signal),
    });
  }

  /** Returns a function that creates a listener for one download, and reports the sum of all, until one has failed. */
  #trackDownloads(
    totalBytes: number,
    failed: AbortSignal,
  ): () => (progress: DownloadProgress) => void {
    const downloads: DownloadProgress[] = [];
    return () => {
      const index = downloads.push({ loadedBytes: 0, totalBytes: 0 }) - 1;
      return (progress) => {
        if (failed.aborted) return;
        downloads[index] = progress;
        const loadedBytes = downloads.reduce((sum, { loadedBytes }) => sum + loadedBytes, 0);
        this.#options.onProgress({ loadedBytes, totalBytes: Math.max(totalBytes, loadedBytes) });
      };
    };
  }
}
