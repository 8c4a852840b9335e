import { type BlobRef, toBlobRef } from '../blobs/blob-store.ts';
import type { Database, Transaction } from '../database/database.ts';
import { type AnyRow, readBatches } from './read-rows.ts';
import { COPIED_TABLES } from './tables.ts';

/** Blobs by their reference, with their sizes in bytes. */
export type BlobSizes = ReadonlyMap<BlobRef, number>;

/** Lists the blobs that the rows reference, each once. Invalid references are left out: see check-rows.ts. */
export async function listReferencedBlobs(database: Database | Transaction): Promise<BlobSizes> {
  const sizes = new Map<BlobRef, number>();
  for (const [name, table] of COPIED_TABLES) {
    const columns = Object.entries(table.blobs);
    if (columns.length === 0) continue;
    for await (const rows of readBatches(database, name, table)) {
      for (const row of rows) addBlobs(row, columns, sizes);
    }
  }
  return sizes;
}

function addBlobs(row: AnyRow, columns: [string, string][], sizes: Map<BlobRef, number>): void {
  for (const [column, sizeColumn] of columns) {
    const ref = toBlobRef(String(row[column]));
    if (ref !== undefined) sizes.set(ref, Number(row[sizeColumn]));
  }
}

/** The number of bytes of all blobs. */
export function sumBytes(sizes: BlobSizes): number {
  return sizes.values().reduce((total, size) => total + size, 0);
}
