import { createHash, randomUUID } from 'node:crypto';
import type { BlobStore } from '../src/blobs/blob-store.ts';
import type { Database } from '../src/database/database.ts';
import type { AnyRow } from '../src/installation/read-rows.ts';
import { getCopiedTable } from '../src/installation/tables.ts';
import { createRowWriter } from '../src/installation/write-rows.ts';

const TIME = '2026-01-01T00:00:00.000Z';
const DESIGNS_PER_BATCH = 500;
const COUNTS = {
  ...{ bytes: 64, triangles: 12, vertices: 24, nodes: 1, meshes: 1, materials: 1, textures: 0 },
  ...{ animations: 0, variants: 0 },
};
const STATS = JSON.stringify({
  ...COUNTS,
  bounds: { min: [-0.5, 0, -0.5], max: [0.5, 1, 0.5] },
  extensions: ['EXT_meshopt_compression', 'KHR_mesh_quantization'],
});
const STEP_NAMES = ['read', 'dedup', 'weld', 'textures', 'simplify', 'quantize', 'compress'];
const REPORT = JSON.stringify({
  ...{ format: 'glb', before: COUNTS, after: COUNTS, previewBytes: 64 },
  steps: STEP_NAMES.map((name, index) => ({ name, durationMs: index })),
  warnings: [{ code: 'texture.large', message: 'A texture was made smaller.' }],
});
const DETECTED_FORMAT = '{"format":"glb","decodedBytes":64}';

export type ManyDesignsOptions = {
  database: Database;
  blobs: BlobStore;
  designCount: number;
  /** The designs share so many files. */
  blobCount: number;
  /** Images that the designs share as posters. Default: posters that are no images. */
  posters?: readonly PosterFile[];
};

type PosterFile = { bytes: Buffer; width: number; height: number };
type Blob = { ref: string; sizeBytes: number; width?: number; height?: number };
type SharedFiles = { files: readonly Blob[]; posters: readonly Blob[] };

/** Adds a user with designs, each with two tags, a revision and four artifacts, without requests. */
export async function addManyDesigns({
  database,
  blobs,
  designCount,
  blobCount,
  posters = [],
}: ManyDesignsOptions): Promise<void> {
  const shared = {
    files: await storeFiles(blobs, blobCount),
    posters: await storePosters(blobs, posters),
  };
  const user: AnyRow = {
    ...{ id: randomUUID(), name: 'many', operator: 0, created_at: TIME, disabled_at: null },
    ...{ max_megabytes: null, max_designs: null },
  };
  await write(database, { user: [user] });
  for (let start = 0; start < designCount; start += DESIGNS_PER_BATCH) {
    const tables: Record<string, AnyRow[]> = {
      design: [],
      design_tag: [],
      revision: [],
      artifact: [],
    };
    const end = Math.min(designCount, start + DESIGNS_PER_BATCH);
    for (let index = start; index < end; index += 1)
      addDesign(tables, String(user.id), index, shared);
    await write(database, tables);
  }
}

async function storeFiles(blobs: BlobStore, count: number): Promise<Blob[]> {
  const files: Blob[] = [];
  for (let index = 0; index < count; index += 1)
    files.push(await storeFile(blobs, createHash('sha512').update(String(index)).digest()));
  return files;
}

async function storePosters(blobs: BlobStore, posters: readonly PosterFile[]): Promise<Blob[]> {
  const stored: Blob[] = [];
  for (const { bytes, ...size } of posters)
    stored.push({ ...(await storeFile(blobs, bytes)), ...size });
  return stored;
}

async function storeFile(blobs: BlobStore, bytes: Buffer): Promise<Blob> {
  const chunks = (async function* () {
    yield bytes;
  })();
  await using draft = await blobs.createDraft(chunks, { maxBytes: bytes.length });
  await draft.commit();
  return { ref: draft.ref, sizeBytes: draft.sizeBytes };
}

function addDesign(
  tables: Record<string, AnyRow[]>,
  user_id: string,
  index: number,
  { files, posters }: SharedFiles,
): void {
  const [id, revision_id] = [randomUUID(), randomUUID()];
  const name = `Design ${index} – “Größe” ${index % 7}`;
  tables.design?.push({
    ...{ id, user_id, name, description: 'A chair, and a table.', external_id: `sku-${index}` },
    ...{
      tags: '["chair","oak"]',
      metadata: '{"room":"kitchen"}',
      max_triangles: null,
      max_texture_size: null,
      shared: 0,
    },
    ...{ viewer: '{}', status: 'ready', revision_id, last_revision: 1, chosen_at_revision: 0 },
    ...{ sort_name: name.toLowerCase(), search_text: name.toLowerCase(), version: 1 },
    ...{ created_at: TIME, updated_at: TIME },
  });
  for (const tag of ['chair', 'oak']) tables.design_tag?.push({ user_id, tag, design_id: id });
  const source = files[index % files.length];
  tables.revision?.push({
    ...{ id: revision_id, design_id: id, number: 1, status: 'ready', created_at: TIME },
    ...{ source_blob: source?.ref ?? '', source_size_bytes: source?.sizeBytes ?? 0 },
    ...{ file_name: 'chair.glb', detected_format: DETECTED_FORMAT, stats: STATS, report: REPORT },
    ...{ poster_placeholder: null, problem: null },
  });
  const at = <T>(list: readonly T[], offset: number) => list[(index + offset) % list.length];
  const artifacts = [
    ['model', at(files, 1)],
    ['preview', at(files, 2)],
    ['poster', at(posters, 0) ?? at(files, 3)],
    ['poster-small', at(posters, 0) ?? at(files, 4)],
  ] as const;
  for (const [kind, file] of artifacts) {
    tables.artifact?.push({
      ...{ revision_id, kind, level: 0, blob: file?.ref ?? '', size_bytes: file?.sizeBytes ?? 0 },
      ...{ width: file?.width ?? null, height: file?.height ?? null },
      ...{ brotli_blob: null, brotli_size_bytes: null },
    });
  }
}

async function write(database: Database, tables: Record<string, AnyRow[]>): Promise<void> {
  await database.transaction().execute(async (trx) => {
    for (const [name, rows] of Object.entries(tables)) {
      const writer = await createRowWriter(trx, name, getCopiedTable(name));
      await writer.write(rows);
      await writer.end();
    }
  });
}
