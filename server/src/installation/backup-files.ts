import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import type { BlobRef } from '../blobs/blob-store.ts';
import { InstallationError } from './installation-error.ts';

/** Not a symbolic link, and no wait for the other end of a pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The files in the folder of a backup. */
export const BACKUP_PATHS = {
  blobs: 'blobs',
  toGrantKey: (sha256: string) => `grant-${sha256}.key`,
  lock: 'lock.sqlite',
  toRows: (sha256: string) => `rows-${sha256}.sqlite`,
} as const;

/** The files of a backup that someone may have changed: no symbolic link is followed below the folder. */
export class BackupFiles {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Opens a file, or returns undefined if there is none. @throws {InstallationError} it is not a regular file */
  async open(name: string): Promise<FileHandle | undefined> {
    const path = join(this.folder, name);
    await this.#assertNoLinks(path);
    try {
      const file = await open(path, FLAGS);
      if ((await file.stat()).isFile()) return file;
      await file.close();
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (['ENOENT', 'ENOTDIR'].includes(code)) return undefined;
      if (['EACCES', 'EPERM'].includes(code)) throw createUnreadableError(path, code);
      if (!['ELOOP', 'ENXIO'].includes(code)) throw error;
    }
    throw createFileError(name);
  }

  /** Reads a small file, or returns undefined if there is none. */
  async readText(name: string, maxBytes: number): Promise<string | undefined> {
    await using file = await this.open(name);
    if (file === undefined) return undefined;
    if ((await file.stat()).size <= maxBytes) return await file.readFile('utf8');
    throw new InstallationError(`The file "${name}" of the backup is too large.`);
  }

  /** Returns the size and the SHA-256 of a file, or undefined if there is none. */
  async summarize(name: string): Promise<{ sizeBytes: number; sha256: string } | undefined> {
    await using file = await this.open(name);
    if (file === undefined) return undefined;
    const hash = createHash('sha256');
    let sizeBytes = 0;
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      hash.update(chunk);
      sizeBytes += chunk.length;
    }
    return { sizeBytes, sha256: hash.digest('hex') };
  }

  /** Opens a blob for reading, or returns undefined if there is none. */
  async openBlob(ref: BlobRef): Promise<Readable | undefined> {
    const file = await this.open(join(BACKUP_PATHS.blobs, 'sha256', ref.slice(0, 2), ref));
    return file && createReadStream('', { fd: file });
  }

  /** The folders between that of the backup and the file must be folders. */
  async #assertNoLinks(path: string): Promise<void> {
    const names = relative(this.folder, path).split(sep);
    for (const index of names.keys()) {
      const part = names.slice(0, index + 1).join(sep);
      const stats = await lstat(join(this.folder, part)).catch(() => undefined);
      if (stats?.isSymbolicLink()) throw createFileError(part);
    }
  }
}

function createUnreadableError(path: string, code: string): InstallationError {
  return new InstallationError(
    `"${path}" cannot be read (${code}). A restore runs as the user who owns the data directory: make that user the owner of the backup.`,
  );
}

function createFileError(name: string): InstallationError {
  return new InstallationError(
    `"${name}" in the folder of the backup is a symbolic link, or not a file. A backup contains only files and folders.`,
  );
}
