import { Problem } from '@cloche/contract/problem';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { JsonNode } from '../../../validation/json-node.ts';
import { isDataUri } from '../data-uri.ts';
import type { ExternalFiles } from './external-files.ts';

const IMAGE_URI_PATH = /^images\[\d+\]\.uri$/;

/** Checks a `uri`; undefined in `extras`, whose URIs are not read. */
type UriCheck = ((uri: JsonNode) => void) | undefined;

/**
 * Checks every value of the file: numbers are finite (1e999 parses to Infinity), there is no key
 * `__proto__` and no duplicate key, and outside of `extras` each `uri` is a data: URI or an external
 * file, in all extensions. Only images may be missing in an archive. Recursion is safe, as the depth
 * of the JSON has been checked.
 *
 * @param keyCount keys in the text, including duplicates. These are refused, because JSON parsers
 *   differ in which value they use
 */
export function validateJsonValues(
  root: JsonNode,
  keyCount: number,
  externalFiles?: ExternalFiles,
): void {
  const distinctKeyCount = validateMembers(root, (uri) => validateUri(uri, externalFiles));
  if (distinctKeyCount !== keyCount)
    root.fail('duplicate-key', 'has an object with the same key twice');
}

/** Returns the number of keys in the value and its descendants. */
function validateMembers(json: JsonNode, checkUri: UriCheck): number {
  const { value } = json;
  let keys = 0;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++)
      keys += validateValue(json, index, value[index], checkUri);
    return keys;
  }
  for (const key of Object.keys(value as object)) {
    if (key === '__proto__') json.fail('proto-key', 'has the key __proto__');
    const member = (value as Record<string, unknown>)[key];
    if (key === 'uri' && typeof member === 'string') checkUri?.(new JsonNode(member, json, key));
    keys += 1 + validateValue(json, key, member, key === 'extras' ? undefined : checkUri);
  }
  return keys;
}

function validateUri(uri: JsonNode, externalFiles: ExternalFiles | undefined): void {
  const text = uri.string();
  if (isDataUri(text) || externalFiles?.find(text) !== undefined) return;
  // Without an image of the archive, the import leaves its textures out, with a warning.
  if (externalFiles !== undefined && IMAGE_URI_PATH.test(uri.path)) return;
  const where =
    externalFiles === undefined
      ? 'was not uploaded with it. Send both in one zip, or export the design as one .glb'
      : 'is not in the archive';
  const detail = `The glTF needs the file ${quoteUntrusted(text)}, which ${where}.`;
  throw new Problem('design.unreadable', { detail, reason: 'uri' });
}

function validateValue(
  parent: JsonNode,
  key: string | number,
  value: unknown,
  checkUri: UriCheck,
): number {
  if (typeof value === 'object' && value !== null) {
    return validateMembers(new JsonNode(value, parent, key), checkUri);
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    new JsonNode(value, parent, key).fail('not-finite', 'is too large for a number');
  }
  return 0;
}
