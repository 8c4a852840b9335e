import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, opendir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createDirectory } from '../disk/create-directory.ts';
import { syncDirectory } from '../disk/durable-files.ts';
import {
  assertSegmentSize,
  isUploadId,
  MissingSegmentError,
  type Segment,
  type SegmentWriter,
  type UploadSegments,
} from './upload-segments.ts';

/** Stores the bytes of uploads in a directory, which several nodes may use. Each upload has a directory in it. */
export class DiskUploadSegments implements UploadSegments {
  readonly flushAfter = { bytes: 16 * 1024 ** 2, ms: 1000 };
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** Opens the directory, or creates it. */
  static async open(directory: string): Promise<DiskUploadSegments> {
    await createDirectory(directory);
    await syncDirectory(dirname(directory));
    return new DiskUploadSegments(directory);
  }

  createWriter(uploadId: string, offset: number): SegmentWriter {
    return new SegmentFileWriter(join(this.#directory, uploadId), offset);
  }

  async *read(uploadId: string, segments: readonly Segment[]): AsyncGenerator<Uint8Array> {
    for (const segment of segments) {
      const path = join(this.#directory, uploadId, segment.name);
      const stream = createReadStream(path, { end: segment.sizeBytes - 1 });
      try {
        yield* assertSegmentSize(uploadId, segment, stream);
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
        throw new MissingSegmentError(uploadId, segment, { cause });
      }
    }
  }

  async removeAll(uploadId: string): Promise<void> {
    const options = { recursive: true, force: true, maxRetries: 3 };
    await rm(join(this.#directory, uploadId), options);
    await syncDirectory(this.#directory);
  }

  async *listUploadIds(): AsyncGenerator<string> {
    for await (const { name } of await opendir(this.#directory)) if (isUploadId(name)) yield name;
  }
}

/**
 * Deletes the files in which earlier versions stored uploads, in the data directory. With `all`, uploads of this version as well: new ones
 * are stored elsewhere. Anything else is kept.
 */
export async function deleteFormerUploads(
  directory: string,
  { all = false }: { all?: boolean } = {},
): Promise<void> {
  await createDirectory(directory);
  for await (const entry of await opendir(directory)) {
    const isFormer = entry.isFile() && FORMER_FILE_PATTERN.test(entry.name);
    if (isFormer || (all && isUploadId(entry.name)))
      await rm(join(directory, entry.name), { recursive: true, force: true });
  }
}

/** The bytes of an upload, its metadata, and the latter while it was written. */
const FORMER_FILE_PATTERN = /^[0-9a-f]{32}(\.json(\.new)?)?$/;

/** Appends to one file, which is created with the first byte. */
class SegmentFileWriter implements SegmentWriter {
  readonly #directory: string;
  readonly #start: number;
  readonly #name = randomUUID();
  #file: FileHandle | undefined;
  #sizeBytes = 0;
  #storedBytes = 0;

  constructor(directory: string, start: number) {
    this.#directory = directory;
    this.#start = start;
  }

  async append(chunk: Uint8Array): Promise<void> {
    this.#file ??= await this.#create();
    for (let written = 0; written < chunk.length; ) {
      const position = this.#sizeBytes + written;
      written += (await this.#file.write(chunk, written, undefined, position)).bytesWritten;
    }
    this.#sizeBytes += chunk.length;
  }

  async flush(): Promise<Segment | undefined> {
    if (this.#sizeBytes === this.#storedBytes) return undefined;
    const sizeBytes = this.#sizeBytes;
    await this.#file?.datasync();
    this.#storedBytes = sizeBytes;
    return { name: this.#name, start: this.#start, sizeBytes };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close();
  }

  /** Creates the file, whose name survives a power failure before any byte is acknowledged. */
  async #create(): Promise<FileHandle> {
    await createDirectory(this.#directory);
    const file = await open(join(this.#directory, this.#name), 'wx', 0o600);
    try {
      await syncDirectory(this.#directory);
      await syncDirectory(dirname(this.#directory));
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }
}
