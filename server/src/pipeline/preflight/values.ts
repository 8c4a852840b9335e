import { Part } from './part.ts';

/**
 * Walks every value of the file: numbers are finite (1e999 parses to Infinity), no key reaches for a
 * prototype or stands twice, and outside `extras` no `uri` leaves the file, whichever extension it
 * belongs to. Recursion is safe: the depth of the JSON is bounded by now.
 *
 * @param keys how many keys the text has; readers differ in which of two equal ones they take
 */
export function checkValues(root: Part, keys: number): void {
  const kept = checkMembers(root, false);
  if (kept !== keys) root.fail('duplicate-key', 'has an object with the same key twice');
}

/** Gives the number of keys in the value and all below it. */
function checkMembers(part: Part, isExtra: boolean): number {
  const { value } = part;
  let keys = 0;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) keys += checkValue(part, at, value[at], isExtra);
    return keys;
  }
  for (const key of Object.keys(value as object)) {
    if (key === '__proto__') part.fail('proto-key', 'has the key __proto__');
    const member = (value as Record<string, unknown>)[key];
    if (key === 'uri' && !isExtra && typeof member === 'string' && !/^data:/i.test(member)) {
      new Part(member, part, key).fail(
        'uri',
        'points out of the file; only data: URIs are read, so export the design as one .glb',
      );
    }
    keys += 1 + checkValue(part, key, member, isExtra || key === 'extras');
  }
  return keys;
}

function checkValue(parent: Part, key: string | number, value: unknown, isExtra: boolean): number {
  if (typeof value === 'object' && value !== null) {
    return checkMembers(new Part(value, parent, key), isExtra);
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    new Part(value, parent, key).fail('not-finite', 'is too large for a number');
  }
  return 0;
}
