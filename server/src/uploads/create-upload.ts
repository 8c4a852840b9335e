import { Problem } from '@cloche/contract/problem';
import type { FastifyRequest } from 'fastify';
import { createFileTooLargeError } from '../blobs/blob-store.ts';
import type { IngestDependencies } from '../designs/ingest.ts';
import type { NewTusUpload, TusUpload } from './tus-upload.ts';
import type { TusUploadStore } from './tus-upload-store.ts';
import { decodeMetadata } from './upload-metadata.ts';

type CreatorDependencies = Pick<IngestDependencies, 'quotas' | 'maxUploadBytes' | 'now'> & {
  tusUploads: TusUploadStore;
};

type CreatedUpload = { upload: TusUpload; isNew: boolean };

/**
 * Creates an upload whose length counts from now on; the largest file counts while it is not known. If another request with the same
 * key has created one meanwhile, returns that.
 *
 * @throws {Problem} upload.quota, design.too-large, server.busy
 */
type UploadCreator = (
  request: FastifyRequest,
  newUpload: Omit<NewTusUpload, 'sizeBytes' | 'metadata'>,
) => Promise<CreatedUpload>;

export function createUploadCreator(dependencies: CreatorDependencies): UploadCreator {
  const { tusUploads, maxUploadBytes, now } = dependencies;
  /** The last creation of each key. They run one after the other: the first one must not use up the quota of the others. */
  const running = new Map<string, Promise<CreatedUpload>>();
  return async ({ headers }, fields) => {
    const { 'upload-length': length, 'upload-metadata': encodedMetadata } = headers;
    const sizeBytes = length === undefined ? undefined : Number(length);
    const metadata = encodedMetadata ? decodeMetadata(String(encodedMetadata)) : undefined;
    if (sizeBytes !== undefined && sizeBytes > maxUploadBytes)
      throw createFileTooLargeError(maxUploadBytes);
    const newUpload = { ...fields, sizeBytes, metadata };
    const keyHash = fields.creationKey?.keyHash;
    if (keyHash === undefined) return addUpload(newUpload, dependencies);
    const previous = running.get(keyHash);
    const creation = (async () => {
      await previous?.catch(() => {});
      return addUpload(newUpload, dependencies).catch(async (error: unknown) => {
        // The quota may be used up by the upload that another request with this key has created, also on another node.
        if (!(error instanceof Problem && error.code === 'upload.quota')) throw error;
        const upload = await tusUploads.findByCreationKey(keyHash, now());
        if (upload === undefined) throw error;
        return { upload, isNew: false };
      });
    })();
    running.set(keyHash, creation);
    try {
      return await creation;
    } finally {
      if (running.get(keyHash) === creation) running.delete(keyHash);
    }
  };
}

function addUpload(
  newUpload: NewTusUpload,
  { tusUploads, quotas, maxUploadBytes, now }: CreatorDependencies,
): Promise<CreatedUpload> {
  const { user, parsedMetadata, creationKey, sizeBytes = maxUploadBytes } = newUpload;
  const needed = {
    minBytes: sizeBytes,
    maxBytes: sizeBytes,
    designs: parsedMetadata.designId === undefined ? 1 : 0,
  };
  return quotas.addPending(user, needed, async (trx) => {
    const existing =
      creationKey && (await tusUploads.findByCreationKey(creationKey.keyHash, now(), trx));
    if (existing !== undefined) return { upload: existing, isNew: false };
    return { upload: await tusUploads.create(newUpload, now(), trx), isNew: true };
  });
}
