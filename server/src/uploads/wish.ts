import { DESIGN_URI, designIdOf, UUID } from '@cloche/contract/id';
import { Problem } from '@cloche/contract/problem';
import { Metadata } from '@tus/server';
import { cleanText, MAX_NAME_LENGTH, nameOfFile } from '../http/text.ts';
import type { Wish } from './arrival.ts';

/** What common clients send by themselves. What a file is, its bytes tell; where it lay, nobody asks. */
const TOLERATED = ['filetype', 'type', 'relativePath'];
const KNOWN = ['filename', 'name', 'sha256', 'design'];

const SHA256 = /^[0-9a-f]{64}$/i;
const ID = new RegExp(UUID);
const URI = new RegExp(DESIGN_URI);

/**
 * Reads the header `Upload-Metadata`.
 * @throws {Problem} request.invalid
 */
export function readWish(header: string | undefined): Wish {
  const { filename, name, sha256, design } = readPairs(header);
  if (sha256 !== undefined && !SHA256.test(sha256)) {
    throw invalid('sha256', 'must be the SHA-256 of the file in 64 hexadecimal digits');
  }
  return {
    name: readName(name, filename) ?? 'Untitled',
    sha256: sha256?.toLowerCase(),
    design: design === undefined ? undefined : readDesign(design),
  };
}

function readPairs(header: string | undefined): Record<string, string | undefined> {
  if (header === undefined) return {};
  const pairs = Object.entries(parse(header));
  const stranger = pairs.find(([key]) => ![...KNOWN, ...TOLERATED].includes(key))?.[0];
  if (stranger !== undefined) {
    const key = stranger.replace(/[^\x21-\x7e]/g, '?').slice(0, 60);
    throw invalid(key, `is not known here; known are ${KNOWN.join(', ')}`);
  }
  return Object.fromEntries(pairs.map(([key, value]) => [key, value ?? '']));
}

function parse(header: string): Record<string, string | null> {
  try {
    return Metadata.parse(header);
  } catch (cause) {
    throw new Problem('request.invalid', { field: 'header.upload-metadata', detail: FORM, cause });
  }
}

const FORM =
  'header.upload-metadata: must be pairs of a key and a value in base64, such as "filename Y2hhaXIuZ2xi,name T2FrIGNoYWly", with every key once.';

/** Uppy sends the name of the file as `name` too: that is no name somebody chose. */
function readName(name: string | undefined, fileName: string | undefined): string | undefined {
  if (name === undefined || name === fileName) return nameOfFile(fileName ?? '');
  if ([...name].length <= MAX_NAME_LENGTH) return cleanText(name, `${FIELD}.name`);
  throw invalid('name', `must not have more than ${MAX_NAME_LENGTH} characters`);
}

function readDesign(design: string): string {
  if (ID.test(design)) return design;
  if (URI.test(design)) return designIdOf(design);
  throw invalid('design', 'must be the id or the URI of a design, such as "cloche:design:<uuid>"');
}

const FIELD = 'header.upload-metadata';

function invalid(key: string, fault: string): Problem {
  const field = `${FIELD}.${key}`;
  return new Problem('request.invalid', { field, detail: `${field}: ${fault}.` });
}
