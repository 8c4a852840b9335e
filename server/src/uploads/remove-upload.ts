import type { TusUploadStore } from './tus-upload-store.ts';
import type { UploadSegments } from './upload-segments.ts';

type RemoveDependencies = { tusUploads: TusUploadStore; segments: UploadSegments };

/**
 * Removes an upload and then its bytes. If the bytes cannot be deleted, or a request of another node adds some that it
 * cannot acknowledge any more, the maintenance deletes them.
 */
export async function removeUpload(
  id: string,
  { tusUploads, segments }: RemoveDependencies,
): Promise<void> {
  await tusUploads.remove(id);
  await segments.removeAll(id);
}
