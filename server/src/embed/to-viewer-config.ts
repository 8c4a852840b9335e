import assert from 'node:assert/strict';
import { estimateMaxSize } from '@cloche/contract/geometry-size';
import { normalizeOptions } from '@cloche/contract/parse-option';
import { Problem } from '@cloche/contract/problem';
import { MAX_FIRST_IMAGE_SIZE } from '@cloche/contract/texture-sizes';
import {
  MODEL_URL,
  type ModelLevels,
  type PendingModel,
  type ViewerConfig,
} from '@cloche/contract/viewer-config';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import type { Artifact, ReadyRevision, ShownRevision } from '../designs/design.ts';
import { type ToAssetUrl, toOwnAssetUrl } from './asset-urls.ts';
import type { AuthorizedView } from './authorize-view.ts';
import { showsPoster, showsPreview } from './poster-options.ts';
import type { RequestedOptions } from './query-options.ts';

/** Of a revision of which only the preview exists. */
const NO_MODEL = { url: '', bytes: 0 };

/** Creates what the framed document passes to the viewer. The options of the URL take precedence over the design's. */
export function toViewerConfig(
  { design, revision, origins }: AuthorizedView,
  requested: RequestedOptions,
  { grant, toUrl }: { grant: string; toUrl: ToAssetUrl },
): ViewerConfig {
  const { artifacts, stats, posterPlaceholder, posterOptions } = revision;
  const model = toModel(revision, toUrl);
  const preview = artifacts.find(({ kind }) => kind === 'preview');
  const levels = model && toModelLevels(revision, model, toUrl);
  const options = normalizeOptions({ ...design.viewer, ...requested.options });
  if (model === undefined) assertPreviewSuffices(options);
  const posters = showsPoster(options, posterOptions) ? toPosters(artifacts, toUrl) : undefined;
  const showsPlaceholder =
    options.background === undefined && (options.theme ?? 'light') === 'light';
  const { id, name, description } = design;
  return {
    design: { id, name, ...(description !== '' && { description }) },
    ...(model ? { model } : { model: NO_MODEL, pendingModelUrl: MODEL_URL }),
    ...(preview &&
      showsPreview(options, stats) && {
        // While the model is being made, only this service has the preview.
        preview: {
          url: (model ? toUrl : toOwnAssetUrl)(preview.blob, 'glb'),
          bytes: preview.sizeBytes,
        },
      }),
    ...(levels && { levels }),
    ...(posters && { posters }),
    // Its color fits the gradient of the light theme.
    ...(posterPlaceholder &&
      showsPlaceholder && {
        // Older revisions have more fields.
        posterPlaceholder: { background: posterPlaceholder.background },
      }),
    ...(Object.keys(options).length > 0 && { options }),
    ...(requested.warnings.length > 0 && { optionWarnings: [...requested.warnings] }),
    grant,
    ...(origins === 'any'
      ? { allowedOrigins: [], shared: true }
      : { allowedOrigins: [...origins] }),
  };
}

/** A preview has neither variants nor animations. */
function assertPreviewSuffices({ variantName, animationName }: ViewerOptions): void {
  if (variantName !== undefined || animationName !== undefined)
    throw new Problem('design.not-ready', { retryAfterSeconds: 3 });
}

/** Returns the parts of the config that were missing while the model was being made. */
export function toPendingModel(revision: ReadyRevision, toUrl: ToAssetUrl): PendingModel {
  const model = toModel(revision, toUrl);
  assert(model, 'A revision that is ready has a model.');
  const levels = toModelLevels(revision, model, toUrl);
  return { model, ...(levels && { levels }) };
}

/** Undefined if only the preview exists. */
function toModel(
  { artifacts, stats }: ShownRevision,
  toUrl: ToAssetUrl,
): ViewerConfig['model'] | undefined {
  const model = artifacts.find(({ kind }) => kind === 'model');
  return (
    model && {
      url: toUrl(model.blob, 'glb'),
      bytes: model.sizeBytes,
      ...(stats.bounds !== undefined && { bounds: stats.bounds }),
    }
  );
}

/**
 * Undefined for revisions without levels: their visitors load the model. Without texture packs, the model is the largest
 * geometry.
 */
function toModelLevels(
  { artifacts, report, stats }: ShownRevision,
  model: ViewerConfig['model'],
  toUrl: ToAssetUrl,
): ModelLevels | undefined {
  const list = (kind: Artifact['kind']) =>
    artifacts
      .filter((artifact) => artifact.kind === kind)
      .map(({ blob, sizeBytes, level = 0 }) => ({
        level,
        file: { url: toUrl(blob, 'glb'), bytes: sizeBytes },
      }))
      .sort((a, b) => a.level - b.level);
  const [geometries, textures] = [list('geometry'), list('textures')];
  if (geometries.length === 0) return undefined;
  const { uvPerMeter, textures: packs = [], geometries: described = [] } = report?.levels ?? {};
  const maxSizes = new Map(described.map(({ triangles, maxSize }) => [triangles, maxSize]));
  const descriptions = new Map(packs.map((pack) => [pack.size, toPackDescription(pack)]));
  const { url, bytes } = model;
  return {
    geometries: [
      ...geometries.map(({ level, file }, index) => ({
        triangles: level,
        // With texture packs, the last one is the whole model.
        ...((textures.length === 0 || index < geometries.length - 1) && {
          maxSize: maxSizes.get(level) ?? estimateMaxSize(level),
        }),
        ...file,
      })),
      ...(textures.length === 0 ? [{ triangles: stats.triangles, url, bytes }] : []),
    ],
    textures: textures.map(({ level, file }) => ({
      ...(descriptions.get(level) ?? { size: level }),
      ...file,
    })),
    ...(uvPerMeter !== undefined && { uvPerMeter }),
  };
}

type PackDescription = Omit<ModelLevels['textures'][number], 'url' | 'bytes'>;

/** Each visitor downloads it, so it has no more than the viewer needs. */
function toPackDescription({ size, imageSize = size, pixels }: PackDescription): PackDescription {
  return {
    size,
    ...(imageSize !== size && { imageSize }),
    ...(pixels !== undefined && imageSize > MAX_FIRST_IMAGE_SIZE && { pixels }),
  };
}

/** Smallest first. Undefined if there are none. */
function toPosters(artifacts: readonly Artifact[], toUrl: ToAssetUrl): ViewerConfig['posters'] {
  const posters = artifacts.flatMap(({ kind, blob, width, height }) => {
    const isPoster = kind === 'poster' || kind === 'poster-small';
    if (!isPoster || width === undefined || height === undefined) return [];
    return [{ url: toUrl(blob, 'webp'), width, height }];
  });
  return posters.length === 0 ? undefined : posters.sort((a, b) => a.width - b.width);
}
