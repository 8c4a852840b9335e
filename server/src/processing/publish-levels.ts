import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { ProcessingReport } from '@cloche/contract/design';
import type { ModelStats } from '@cloche/contract/model-stats';
import { toGeometryFile, toTexturePackFile } from '@cloche/pipeline/level-files';
import type { VerifiedWorkerReport } from '@cloche/pipeline/worker-report';
import type { Draft } from '../blobs/blob-store.ts';
import type { ArtifactDrafts } from './artifact-drafts.ts';
import type { Artifact } from './revision.ts';

type LevelFiles = NonNullable<VerifiedWorkerReport['levels']>;

type AddLevelsOptions = {
  jobDirectory: string;
  levels: LevelFiles;
  /** Validates a file like an untrusted upload. */
  validate(draft: Draft): Promise<ModelStats>;
};

/** Adds and validates the geometries and the texture packs that the worker wrote. */
export async function addLevels(
  drafts: ArtifactDrafts,
  { jobDirectory, levels, validate }: AddLevelsOptions,
): Promise<void> {
  const addFile = (kind: Artifact['kind'], file: string) =>
    drafts.add(kind, createReadStream(join(jobDirectory, 'out', file)));
  let previous = 0;
  for (const index of levels.geometries.keys()) {
    const draft = await addFile('geometry', toGeometryFile(index));
    const { triangles } = await validate(draft);
    if (triangles <= previous) throw new Error('The geometries do not ascend by triangles.');
    drafts.setLevel(draft, triangles);
    previous = triangles;
  }
  for (const { size } of levels.texturePacks) {
    const draft = await addFile('textures', toTexturePackFile(size));
    await validate(draft);
    drafts.setLevel(draft, size);
  }
}

/** Describes the levels in the report. Without texture packs, the model is the largest geometry. */
export function describeLevels(
  artifacts: readonly Artifact[],
  levels: LevelFiles | undefined,
  { triangles, bytes }: ModelStats,
): ProcessingReport['levels'] {
  if (levels === undefined) return undefined;
  const { uvPerMeter, texturePacks } = levels;
  const packs = new Map(texturePacks.map((pack) => [pack.size, pack]));
  return {
    geometries: [
      // The worker describes them in the same order.
      ...listLevels(artifacts, 'geometry').map(({ level, sizeBytes }, index) => ({
        triangles: level,
        ...levels.geometries[index],
        bytes: sizeBytes,
      })),
      ...(texturePacks.length === 0 ? [{ triangles, bytes }] : []),
    ],
    textures: listLevels(artifacts, 'textures').map(({ level, sizeBytes }) => ({
      ...(packs.get(level) ?? { size: level }),
      bytes: sizeBytes,
    })),
    ...(uvPerMeter !== undefined && { uvPerMeter }),
  };
}

function listLevels(
  artifacts: readonly Artifact[],
  kind: Artifact['kind'],
): (Artifact & { level: number })[] {
  return artifacts
    .filter((artifact) => artifact.kind === kind)
    .map((artifact) => ({ ...artifact, level: artifact.level ?? 0 }))
    .sort((a, b) => a.level - b.level);
}
