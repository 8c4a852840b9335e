import { normalizeOptions } from '@cloche/contract/parse-option';
import { Problem } from '@cloche/contract/problem';
import type { ModelLevels, ViewerConfig } from '@cloche/contract/viewer-config';
import type { Artifact, ReadyRevision } from '../designs/design.ts';
import type { AuthorizedView } from './authorize-view.ts';
import { showsPoster, showsPreview } from './poster-options.ts';
import type { RequestedOptions } from './query-options.ts';

/** Creates what the framed document passes to the viewer. The options of the URL take precedence over the design's. */
export function toViewerConfig(
  { design, revision, origins }: AuthorizedView,
  requested: RequestedOptions,
  grant: string,
): ViewerConfig {
  const { artifacts, stats, posterPlaceholder, posterOptions } = revision;
  const modelArtifact = artifacts.find(({ kind }) => kind === 'model');
  if (modelArtifact === undefined) throw new Problem('design.unknown');
  const model: ViewerConfig['model'] = {
    url: `/embed/assets/${modelArtifact.blob}.glb`,
    bytes: modelArtifact.sizeBytes,
    ...(stats.bounds !== undefined && { bounds: stats.bounds }),
  };
  const preview = artifacts.find(({ kind }) => kind === 'preview');
  const levels = toModelLevels(revision, model);
  const options = normalizeOptions({ ...design.viewer, ...requested.options });
  const posters = showsPoster(options, posterOptions) ? toPosters(artifacts) : undefined;
  const showsPlaceholder =
    options.background === undefined && (options.theme ?? 'light') === 'light';
  const { id, name, description } = design;
  return {
    design: { id, name, ...(description !== '' && { description }) },
    model,
    ...(preview &&
      showsPreview(options, stats) && {
        preview: { url: `/embed/assets/${preview.blob}.glb`, bytes: preview.sizeBytes },
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

/**
 * Undefined for revisions without levels: their visitors load the model. Without texture packs, the model is the largest
 * geometry.
 */
function toModelLevels(
  { artifacts, report, stats }: ReadyRevision,
  model: ViewerConfig['model'],
): ModelLevels | undefined {
  const list = (kind: Artifact['kind']) =>
    artifacts
      .filter((artifact) => artifact.kind === kind)
      .map(({ blob, sizeBytes, level = 0 }) => ({
        level,
        file: { url: `/embed/assets/${blob}.glb`, bytes: sizeBytes },
      }))
      .sort((a, b) => a.level - b.level);
  const [geometries, textures] = [list('geometry'), list('textures')];
  if (geometries.length === 0) return undefined;
  const uvPerMeter = report?.levels?.uvPerMeter;
  const { url, bytes } = model;
  return {
    geometries: [
      ...geometries.map(({ level, file }) => ({ triangles: level, ...file })),
      ...(textures.length === 0 ? [{ triangles: stats.triangles, url, bytes }] : []),
    ],
    textures: textures.map(({ level, file }) => ({ size: level, ...file })),
    ...(uvPerMeter !== undefined && { uvPerMeter }),
  };
}

/** Smallest first. Undefined if there are none. */
function toPosters(artifacts: readonly Artifact[]): ViewerConfig['posters'] {
  const posters = artifacts.flatMap(({ kind, blob, width, height }) => {
    const isPoster = kind === 'poster' || kind === 'poster-small';
    if (!isPoster || width === undefined || height === undefined) return [];
    return [{ url: `/embed/assets/${blob}.webp`, width, height }];
  });
  return posters.length === 0 ? undefined : posters.sort((a, b) => a.width - b.width);
}
