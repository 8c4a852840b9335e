import { Problem } from '@cloche/contract/problem';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';

const MAX_NAME_BYTES = 512;
/** The characters from 128 to 255. */
const CODE_PAGE_850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0';
/** The bits of a Unix file mode that contain the file type. */
const FILE_TYPE = 0xf000;
const DIRECTORY = 0x4000;
const REGULAR_FILE = 0x8000;
const SYMBOLIC_LINK = 0xa000;

/**
 * Reads the name of an entry: a relative path with slashes.
 *
 * @throws {Problem} design.unreadable: the path is invalid or leads out of the archive
 */
export function parseEntryName(raw: Buffer, isUtf8: boolean): string {
  // Old versions of .NET, and so of PowerShell, separate folders with backslashes.
  const name = decodeName(raw, isUtf8).replaceAll('\\', '/');
  const fail = (message: string): never => {
    throw new Problem('design.unreadable', {
      detail: `The archive has an entry ${quoteUntrusted(name)}, ${message}.`,
      reason: 'archive-name',
    });
  };
  if (raw.length === 0 || raw.length > MAX_NAME_BYTES) {
    fail(`whose name has ${raw.length} bytes; it must have from 1 to ${MAX_NAME_BYTES}`);
  }
  if (/\p{Cc}/u.test(name)) fail('whose name has control characters');
  if (/^(\/|[a-z]:)/i.test(name)) fail('which is an absolute path; names must be relative');
  const segments = name.replace(/\/$/, '').split('/');
  if (segments.some((segment) => segment === '..')) fail('which leads out of the archive');
  if (segments.some((segment) => segment === '.' || segment === '')) {
    fail('whose path has an empty part');
  }
  return name;
}

/**
 * Refuses entries that are neither a file nor a folder.
 *
 * @throws {Problem} design.unreadable
 */
export function assertFileOrDirectory(name: string, attributes: number): void {
  const fileType = (attributes >>> 16) & FILE_TYPE;
  if (fileType === 0 || fileType === DIRECTORY || fileType === REGULAR_FILE) return;
  const kind = fileType === SYMBOLIC_LINK ? 'a symbolic link' : 'not a regular file';
  throw new Problem('design.unreadable', {
    detail: `The archive has an entry ${quoteUntrusted(name)} that is ${kind}; pack the files themselves.`,
    reason: 'archive-link',
  });
}

/**
 * Windows and older archivers write the code page of DOS: 850 in Western Europe. Most letters of 437, that of the USA, are at the
 * same places.
 */
function decodeCodePage850(raw: Buffer): string {
  return Array.from(raw, (byte) =>
    byte < 128 ? String.fromCharCode(byte) : CODE_PAGE_850[byte - 128],
  ).join('');
}

/** Decodes a name as UTF-8, which most archivers write even if they do not declare it. */
function decodeName(raw: Buffer, isUtf8: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw);
  } catch (cause) {
    if (!isUtf8) return decodeCodePage850(raw);
    throw new Problem('design.unreadable', {
      detail: 'The archive has an entry whose name is declared as UTF-8, but is not valid UTF-8.',
      reason: 'archive-name',
      cause,
    });
  }
}
