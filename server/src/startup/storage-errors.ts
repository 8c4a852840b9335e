import { Problem } from '@cloche/contract/problem';
import { isDiskFull } from '../disk/disk-reserve.ts';
import { isTooManyOpenFiles } from '../disk/too-many-open-files.ts';
import { ConfigError } from '../environment.ts';

/** A directory that the service uses, and the setting that names it. */
export type UsedDirectory = { variable: 'CLOCHE_DATA' | 'CLOCHE_FILES'; path: string };

/**
 * Converts an error of the disk, the file system or the database file to one sentence that says what to do.
 * A stack trace would not help. Returns all other errors unchanged.
 */
export function toStorageError(error: unknown, { variable, path }: UsedDirectory): unknown {
  const explanation = explain(error as NodeJS.ErrnoException & { errcode?: number });
  if (error instanceof ConfigError || explanation === undefined) return error;
  return new ConfigError(`${variable} is "${path}", ${explanation}.`);
}

const NO_SPACE = 'whose disk has no space left; free some space, and start again';
const NOT_WRITABLE =
  'which this user cannot write to; change its owner or its file system, or set another directory';

const NOT_CREATABLE = 'which cannot be created there; set another directory';

const TOO_MANY_OPEN_FILES =
  'and not all of its files can be opened: the system allows too few open files; raise the limit (ulimit -n), and start again';

/** Primary result codes of SQLite. */
const SQLITE_EXPLANATIONS: Record<number, string> = {
  8: NOT_WRITABLE, // SQLITE_READONLY
  10: 'whose database cannot be read or written; check the disk, and how large files may be', // SQLITE_IOERR
  11: 'whose database is damaged; restore a backup', // SQLITE_CORRUPT
  13: NO_SPACE, // SQLITE_FULL
  14: NOT_WRITABLE, // SQLITE_CANTOPEN
  26: 'whose database is damaged; restore a backup', // SQLITE_NOTADB
};

/** The file `-shm` cannot grow. */
const SQLITE_IOERR_SHMSIZE = 4874;

function explain(error: NodeJS.ErrnoException & { errcode?: number }): string | undefined {
  const { code = '', errcode, syscall, path } = error;
  if (error instanceof Problem) return error.code === 'server.storage-full' ? NO_SPACE : undefined;
  if (errcode === SQLITE_IOERR_SHMSIZE) return NO_SPACE;
  // The number has the primary code in its lowest byte.
  if (errcode !== undefined) return SQLITE_EXPLANATIONS[errcode & 0xff];
  if (isDiskFull(error)) return NO_SPACE;
  if (isTooManyOpenFiles(error)) return TOO_MANY_OPEN_FILES;
  if (['EACCES', 'EPERM', 'EROFS'].includes(code)) return NOT_WRITABLE;
  if (syscall === 'mkdir' && code === 'ENOENT') return NOT_CREATABLE;
  const isFileError = syscall !== undefined && path !== undefined && code !== 'ENOENT';
  return isFileError
    ? `where a file cannot be read or written (${code}, ${path}); check the disk, or set another directory`
    : undefined;
}
