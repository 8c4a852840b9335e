import type { Database } from '../src/database/database.ts';
import { completeDesignFields } from '../src/designs/design-fields.ts';
import { TusUploadStore } from '../src/uploads/tus-upload-store.ts';
import { UPLOAD_LEASE_MS, UploadLeases } from '../src/uploads/upload-leases.ts';

/** Creates an upload, and opens its leases as two nodes would. `advanceTime` lets all of them end. */
export async function openLeases(database: Database) {
  let time = Date.now();
  const now = () => new Date(time);
  const open = (node: string) =>
    new UploadLeases({ database, node, leaseTime: async () => now(), now });
  const tusUploads = new TusUploadStore(database);
  const parsedMetadata = { fields: completeDesignFields({}, 'chair') };
  const newUpload = { user: 'usr_1', sizeBytes: 100, metadata: undefined, parsedMetadata };
  const { id } = await database
    .transaction()
    .execute((trx) => tusUploads.create(newUpload, now(), trx));
  return {
    id,
    leases: open('first'),
    otherLeases: open('second'),
    advanceTime: () => {
      time += UPLOAD_LEASE_MS + 1;
    },
    readUpload: async () => {
      const upload = await tusUploads.find(id);
      return { offset: upload?.offset, segments: await tusUploads.listSegments(id) };
    },
  };
}
