import { DESIGN_URI_PATTERN, toDesignId, UUID_PATTERN } from '@cloche/contract/id';
import { Problem } from '@cloche/contract/problem';
import { Metadata } from '@tus/server';
import {
  completeDesignFields,
  DESIGN_FIELD_NAMES,
  parseDesignFields,
} from '../designs/design-fields.ts';
import { toDisplayName } from '../http/display-name.ts';
import type { UploadMetadata } from './tus-upload.ts';

const SUPPORTED_KEYS = ['filename', 'sha256', 'design', ...DESIGN_FIELD_NAMES];

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
  const pairs = parsePairs(header);
  const { filename, name, sha256, design, ...otherFields } = pairs;
  if (sha256 !== undefined && !SHA256_PATTERN.test(sha256)) {
    throw createInvalidMetadataError(
      'sha256',
      'must be the SHA-256 of the file in 64 hexadecimal digits',
    );
  }
  // Uppy sends the file name in both keys: the name of the design is then that without its extension.
  const texts = { ...otherFields, ...(name !== filename && { name }) };
  const fields = parseDesignFields(texts, METADATA_FIELD);
  if (design !== undefined) assertNoDesignFields(otherFields);
  return {
    fields: completeDesignFields(fields, toDisplayName(filename ?? '') ?? 'Untitled'),
    fileName: filename,
    sha256: sha256?.toLowerCase(),
    designId: design === undefined ? undefined : parseDesignId(design),
  };
}

/** `name` is not refused with `design`, because some clients always send it. */
function assertNoDesignFields(fields: Record<string, string | undefined>): void {
  const name = DESIGN_FIELD_NAMES.find((field) => fields[field] !== undefined);
  if (name === undefined) return;
  throw createInvalidMetadataError(name, 'is for a new design. Change a design with PATCH');
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

/**
 * Returns the pairs of the header `Upload-Metadata`.
 *
 * @throws {Problem} request.invalid
 */
export function decodeMetadata(header: string): Record<string, string | null> {
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

function parseDesignId(design: string): string {
  if (UUID.test(design)) return design.toLowerCase();
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
