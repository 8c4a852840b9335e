import type { Database, Transaction } from '../database/database.ts';
import { type BlobRef, toBlobRef } from './blob-store.ts';

/** Returns the first generation of a blob whose file no removal can delete. */
export async function findUnusedGeneration(trx: Transaction, ref: BlobRef): Promise<number> {
  const rows = await trx
    .selectFrom('blob_removal')
    .select('generation')
    .where('blob', '=', ref)
    .execute();
  return findFirstMissing(rows.map((row) => row.generation));
}

/** Returns the same for all blobs with a removal that is not known to have ended. That of other blobs is 0. */
export async function findUnusedGenerations(
  database: Database | Transaction,
): Promise<ReadonlyMap<BlobRef, number>> {
  const rows = await database.selectFrom('blob_removal').select(['blob', 'generation']).execute();
  const generations = Map.groupBy(rows, (row) => row.blob)
    .entries()
    .flatMap(([blob, removals]): [BlobRef, number][] => {
      const ref = toBlobRef(blob);
      return ref === undefined
        ? []
        : [[ref, findFirstMissing(removals.map((row) => row.generation))]];
    });
  return new Map(generations);
}

function findFirstMissing(generations: readonly number[]): number {
  const used = new Set(generations);
  let generation = 0;
  while (used.has(generation)) generation += 1;
  return generation;
}
