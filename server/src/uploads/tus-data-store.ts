import type { Readable } from 'node:stream';
import { DataStore, Upload } from '@tus/server';
import { receiveBytes } from './receive-bytes.ts';
import { removeUpload } from './remove-upload.ts';
import { createUnknownUploadError } from './tus-errors.ts';
import { type TusUpload, UPLOAD_LIFETIME_MS } from './tus-upload.ts';
import type { TusUploadStore } from './tus-upload-store.ts';
import type { UploadLeases } from './upload-leases.ts';
import type { UploadLocker } from './upload-locker.ts';
import type { UploadSegments } from './upload-segments.ts';

export type TusDataStoreDependencies = {
  tusUploads: TusUploadStore;
  segments: UploadSegments;
  leases: UploadLeases;
  locker: UploadLocker;
};

/** Stores uploads for @tus/server, which calls each method while the request has the lock on the upload. */
export class TusDataStore extends DataStore {
  override readonly extensions = [
    'creation',
    'creation-with-upload',
    'creation-defer-length',
    'termination',
    'expiration',
  ];
  readonly #dependencies: TusDataStoreDependencies;

  constructor(dependencies: TusDataStoreDependencies) {
    super();
    this.#dependencies = dependencies;
  }

  /** The upload was created before: its length had to be within the quota. */
  override async create(upload: Upload): Promise<Upload> {
    upload.creation_date = (await this.getUpload(upload.id)).creation_date;
    return upload;
  }

  /** Stores and acknowledges the bytes read before an error, too: the client continues after them. */
  override async write(bytes: Readable, id: string, offset: number): Promise<number> {
    const { segments, leases, locker } = this.#dependencies;
    const lease = locker.getLease(id);
    await using writer = segments.createWriter(id, offset);
    let end = offset;
    await receiveBytes(bytes, writer, {
      flushAfter: segments.flushAfter,
      acknowledge: async (segment) => {
        await leases.acknowledge(lease, end, segment);
        end = segment.start + segment.sizeBytes;
      },
    });
    return end;
  }

  override async getUpload(id: string): Promise<Upload> {
    const upload = await this.#dependencies.tusUploads.find(id);
    if (upload === undefined) throw createUnknownUploadError();
    return toTusServerUpload(upload);
  }

  override async declareUploadLength(id: string, sizeBytes: number): Promise<void> {
    const { leases, locker } = this.#dependencies;
    await leases.setLength(locker.getLease(id), sizeBytes);
  }

  override async remove(id: string): Promise<void> {
    await removeUpload(id, this.#dependencies);
  }

  override getExpiration(): number {
    return UPLOAD_LIFETIME_MS;
  }
}

/** Converts an upload to the class of @tus/server. */
function toTusServerUpload({ id, sizeBytes, offset, metadata, createdAt }: TusUpload): Upload {
  return new Upload({
    id,
    offset,
    ...(sizeBytes !== undefined && { size: sizeBytes }),
    ...(metadata !== undefined && { metadata }),
    creation_date: createdAt.toISOString(),
  });
}
