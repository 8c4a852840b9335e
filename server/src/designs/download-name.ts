import { type DetectedFormat, FORMATS } from '@cloche/pipeline/formats/registry';
import { toSourceFileType } from './media-types.ts';

/** Characters that file systems do not allow, that browsers decode or that change how a name is displayed. */
const FORBIDDEN = /[\p{C}\p{Zl}\p{Zp}<>:"/\\|?*%]/gu;

/** Names of devices on Windows, whatever the extension is. */
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/** In UTF-8. File systems allow 255 bytes; browsers may add a number. */
const MAX_NAME_BYTES = 200;

/**
 * Returns the header `Content-Disposition` of a source file (RFC 6266, RFC 8187).
 *
 * The name is that of the uploaded file, else that of the design. Both are untrusted: the result is one
 * file name, without a leading dot, with an extension of its format.
 */
export function formatContentDisposition(
  { fileName, detectedFormat }: { fileName: string | undefined; detectedFormat: DetectedFormat },
  designName: string,
): string {
  const name = toDownloadName(fileName ?? designName, detectedFormat);
  // For clients that do not read `filename*`.
  const ascii = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]/g, '_');
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeExtendedValue(name)}`;
}

function toDownloadName(text: string, detectedFormat: DetectedFormat): string {
  const { extension } = toSourceFileType(detectedFormat);
  const cleaned = lastSegment(text.toWellFormed().normalize('NFC'))
    .replace(FORBIDDEN, '_')
    .trim()
    .replace(/^[.\s]+|[.\s]+$/g, '')
    .replace(WINDOWS_DEVICE, '_$&');
  const [, stem = cleaned, given = ''] = /^(.+)\.([^.]+)$/s.exec(cleaned) ?? [];
  const isOfFormat = listExtensions(detectedFormat).includes(given.toLowerCase());
  const suffix = `.${isOfFormat ? given : extension}`;
  const baseName = limitBytes(isOfFormat ? stem : cleaned, MAX_NAME_BYTES - suffix.length);
  return (baseName === '' ? 'model' : baseName) + suffix;
}

/** Clients of some systems send a path. */
const lastSegment = (text: string) => text.split(/[/\\]/).at(-1) ?? '';

function listExtensions(detectedFormat: DetectedFormat): string[] {
  const { extension } = toSourceFileType(detectedFormat);
  const { extensions } = FORMATS[detectedFormat.format];
  return detectedFormat.modelPath === undefined ? [...extensions] : [extension];
}

function limitBytes(text: string, maxBytes: number): string {
  let result = '';
  let bytes = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    result += character;
  }
  return result.trim();
}

/** Encodes everything but the attr-char of RFC 8187. */
function encodeExtendedValue(text: string): string {
  return encodeURIComponent(text).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
