import { DESIGN_URI_PATTERN, toDesignId, UUID_PATTERN } from '@cloche/contract/id';
import { Problem } from '@cloche/contract/problem';
import { Metadata } from '@tus/server';
import { MAX_NAME_LENGTH, parseDisplayName, toDisplayName } from '../http/display-name.ts';
import type { UploadMetadata } from './tus-upload.ts';

const SUPPORTED_KEYS = ['filename', 'name', 'sha256', 'design'];

/** Keys that common clients add. The format is detected from the bytes, and the path is not needed. */
const IGNORED_KEYS = ['filetype', 'type', 'relativePath'];

const SHA256_PATTERN = /^[0-9a-f]{64}$/i;
const UUID = new RegExp(UUID_PATTERN);
const DESIGN_URI = new RegExp(DESIGN_URI_PATTERN);

const METADATA_FIELD = 'header.upload-metadata';

/**
 * Parses the header `Upload-Metadata`.
 *
 * @throws {Problem} request.invalid
 */
export function parseUploadMetadata(header: string | undefined): UploadMetadata {
  const { filename, name, sha256, design } = parsePairs(header);
  if (sha256 !== undefined && !SHA256_PATTERN.test(sha256)) {
    throw createInvalidMetadataError(
      'sha256',
      'must be the SHA-256 of the file in 64 hexadecimal digits',
    );
  }
  return {
    name: parseName(name, filename) ?? 'Untitled',
    sha256: sha256?.toLowerCase(),
    designId: design === undefined ? undefined : parseDesignId(design),
  };
}

function parsePairs(header: string | undefined): Record<string, string | undefined> {
  if (header === undefined) return {};
  const pairs = Object.entries(decodeMetadata(header));
  const isSupported = (key: string) => SUPPORTED_KEYS.includes(key) || IGNORED_KEYS.includes(key);
  const unsupported = pairs.find(([key]) => !isSupported(key))?.[0];
  if (unsupported !== undefined) {
    // The key is untrusted text.
    const key = unsupported.replace(/[^\x21-\x7e]/g, '?').slice(0, 60);
    throw createInvalidMetadataError(
      key,
      `is not supported; supported keys: ${SUPPORTED_KEYS.join(', ')}`,
    );
  }
  return Object.fromEntries(pairs.map(([key, value]) => [key, value ?? '']));
}

function decodeMetadata(header: string): Record<string, string | null> {
  try {
    return Metadata.parse(header);
  } catch (cause) {
    throw new Problem('request.invalid', {
      field: METADATA_FIELD,
      detail: `${METADATA_FIELD}: must be pairs of a key and a base64 value, such as "filename Y2hhaXIuZ2xi,name T2FrIGNoYWly", each key once.`,
      cause,
    });
  }
}

/** Uppy sends the file name in both keys: the design's name is then the file name without its extension. */
function parseName(name: string | undefined, fileName: string | undefined): string | undefined {
  if (name === undefined || name === fileName) return toDisplayName(fileName ?? '');
  if ([...name].length <= MAX_NAME_LENGTH) return parseDisplayName(name, `${METADATA_FIELD}.name`);
  throw createInvalidMetadataError('name', `must not have more than ${MAX_NAME_LENGTH} characters`);
}

function parseDesignId(design: string): string {
  if (UUID.test(design)) return design;
  if (DESIGN_URI.test(design)) return toDesignId(design);
  throw createInvalidMetadataError(
    'design',
    'must be the id or the URI of a design, such as "cloche:design:<uuid>"',
  );
}

function createInvalidMetadataError(key: string, message: string): Problem {
  const field = `${METADATA_FIELD}.${key}`;
  return new Problem('request.invalid', { field, detail: `${field}: ${message}.` });
}
