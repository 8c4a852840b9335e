import { isUtf8 } from 'node:buffer';

const windows1252 = new TextDecoder('windows-1252');

/**
 * Decodes UTF-8 or, if it is not valid UTF-8, Windows-1252, which older programs write in Western
 * Europe. Of other encodings, equal bytes become equal texts, so that references still match.
 */
export function decodeText(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : windows1252.decode(bytes);
}
