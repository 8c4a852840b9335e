import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import type { BlobRef } from '../src/blobs/blob-store.ts';
import { DiskBlobStore } from '../src/blobs/disk-blob-store.ts';
import { SharedBlobStore } from '../src/blobs/shared-blob-store.ts';
import { openPostgres } from '../src/database/postgres.ts';

const TWO_HOURS_MS = 2 * 60 * 60 * 1000;

/**
 * A node that removes a blob of a shared folder, and sends itself a signal immediately before the system call.
 * Arguments: the URL of the database, whether it is that of a pooler, the folder, the blob, and the signal.
 */
const [url = '', isPooled, directory = '', ref, signal] = process.argv.slice(2);
const { unlink } = fs;
fs.unlink = async (path) => {
  process.kill(process.pid, signal as NodeJS.Signals);
  await unlink(path);
};
syncBuiltinESMExports();

await using database = openPostgres({ url, isPooled: isPooled === 'true', onError: () => {} });
const inner = await DiskBlobStore.open(directory, 'drafts/first');
const blobs = new SharedBlobStore(inner, database, {
  isNeeded: async () => false,
  readTime: async () => new Date(Date.now() + TWO_HOURS_MS),
});
await blobs.remove(ref as BlobRef);
