import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { JsonNode } from '../../../validation/json-node.ts';
import type { ExternalFiles } from './external-files.ts';

/** What must be true of each `uri`; undefined where nobody reads them. */
type UriRule = ((uri: JsonNode) => void) | undefined;

/**
 * Walks every value of the file: numbers are finite (1e999 parses to Infinity), no key reaches for a
 * prototype or stands twice, and outside `extras` no `uri` leaves the file and its siblings, whichever
 * extension it belongs to. Recursion is safe: the depth of the JSON is bounded by now.
 *
 * @param keys how many keys the text has; readers differ in which of two equal ones they take
 */
export function validateJsonValues(root: JsonNode, keys: number, siblings?: ExternalFiles): void {
  const kept = validateMembers(root, (uri) => validateUri(uri, siblings));
  if (kept !== keys) root.fail('duplicate-key', 'has an object with the same key twice');
}

/** Gives the number of keys in the value and all below it. */
function validateMembers(part: JsonNode, rule: UriRule): number {
  const { value } = part;
  let keys = 0;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) keys += validateValue(part, at, value[at], rule);
    return keys;
  }
  for (const key of Object.keys(value as object)) {
    if (key === '__proto__') part.fail('proto-key', 'has the key __proto__');
    const member = (value as Record<string, unknown>)[key];
    if (key === 'uri' && typeof member === 'string') rule?.(new JsonNode(member, part, key));
    keys += 1 + validateValue(part, key, member, key === 'extras' ? undefined : rule);
  }
  return keys;
}

function validateUri(uri: JsonNode, siblings: ExternalFiles | undefined): void {
  const text = uri.string();
  if (/^data:/i.test(text) || siblings?.find(text) !== undefined) return;
  uri.fail(
    'uri',
    siblings === undefined
      ? 'points out of the file; only data: URIs are read, so export the design as one .glb'
      : `is ${quoteUntrusted(text)}, which is no file beside the model in the archive`,
  );
}

function validateValue(
  parent: JsonNode,
  key: string | number,
  value: unknown,
  rule: UriRule,
): number {
  if (typeof value === 'object' && value !== null) {
    return validateMembers(new JsonNode(value, parent, key), rule);
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    new JsonNode(value, parent, key).fail('not-finite', 'is too large for a number');
  }
  return 0;
}
