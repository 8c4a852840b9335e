import { Problem } from '@cloche/contract/problem';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';

const MAX_NAME_BYTES = 512;
/** Above the DOS attributes, archives made on Unix have the mode of the file. */
const FILE_TYPE = 0xf000;
const DIRECTORY = 0x4000;
const REGULAR_FILE = 0x8000;
const SYMBOLIC_LINK = 0xa000;

/**
 * Reads the name of an entry: a path below the archive's root, with slashes.
 *
 * @throws {Problem} design.unreadable for names that lead elsewhere
 */
export function parseEntryName(raw: Buffer, isUtf8: boolean): string {
  const name = decodeName(raw, isUtf8);
  const fail = (complaint: string): never => {
    throw new Problem('design.unreadable', {
      detail: `The archive has an entry ${quoteUntrusted(name)}, ${complaint}.`,
      reason: 'archive-name',
    });
  };
  if (raw.length === 0 || raw.length > MAX_NAME_BYTES) {
    fail(`whose name has ${raw.length} bytes; it must have from 1 to ${MAX_NAME_BYTES}`);
  }
  if (/\p{Cc}/u.test(name)) fail('whose name has control characters');
  if (name.includes('\\')) fail('with a backslash in its name; names in archives have slashes');
  if (/^(\/|[a-z]:)/i.test(name)) fail('an absolute path; names must be relative');
  const segments = name.replace(/\/$/, '').split('/');
  if (segments.some((segment) => segment === '..')) fail('which leads out of the archive');
  if (segments.some((segment) => segment === '.' || segment === '')) {
    fail('whose path has an empty part');
  }
  return name;
}

/**
 * Refuses what is neither a file nor a folder.
 *
 * @throws {Problem} design.unreadable
 */
export function assertFileOrDirectory(name: string, attributes: number): void {
  const sort = (attributes >>> 16) & FILE_TYPE;
  if (sort === 0 || sort === DIRECTORY || sort === REGULAR_FILE) return;
  const what = sort === SYMBOLIC_LINK ? 'a symbolic link' : 'no regular file';
  throw new Problem('design.unreadable', {
    detail: `The archive has an entry ${quoteUntrusted(name)} that is ${what}; pack the files themselves.`,
    reason: 'archive-link',
  });
}

/** Names are UTF-8 when the entry says so, and mostly when it does not. */
function decodeName(raw: Buffer, isUtf8: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw);
  } catch (cause) {
    // Old archivers wrote the code page of their machine: whichever, only its letters differ.
    if (!isUtf8) return raw.toString('latin1');
    throw new Problem('design.unreadable', {
      detail: 'The archive has an entry whose name is not the UTF-8 it says it is.',
      reason: 'archive-name',
      cause,
    });
  }
}
