import { toSingleLine } from '@cloche/contract/untrusted-text';

/** An object or array that is open at the current position. `keys` is undefined for an array. */
type Container = { keys: Set<string> | undefined; current: string | number };

/**
 * Finds the first object key that occurs twice in the same object, and returns its path, such as
 * `metadata.color`. `JSON.parse` silently keeps the last value, and other parsers the first.
 *
 * @param json well-formed JSON, because keys are recognized by the colon after them
 */
export function findDuplicateKey(json: string): string | undefined {
  const open: Container[] = [];
  for (let index = 0; index < json.length; index += 1) {
    const container = open.at(-1);
    switch (json[index]) {
      case '{':
        open.push({ keys: new Set(), current: '' });
        break;
      case '[':
        open.push({ keys: undefined, current: 0 });
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
        if (typeof container?.current === 'number') container.current += 1;
        break;
      case '"': {
        const end = findStringEnd(json, index);
        if (container?.keys !== undefined && isBeforeColon(json, end)) {
          const key = parseKey(json.slice(index, end + 1));
          container.current = key;
          if (container.keys.has(key)) return formatPath(open);
          container.keys.add(key);
        }
        index = end;
      }
    }
  }
  return undefined;
}

/** Returns the index of the closing quotation mark, or the length of the text if there is none. */
export function findStringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

/** An odd number of backslashes before a quotation mark escapes it. */
function isEscaped(text: string, index: number): boolean {
  let first = index;
  while (text[first - 1] === '\\') first -= 1;
  return (index - first) % 2 === 1;
}

function isBeforeColon(json: string, stringEnd: number): boolean {
  let index = stringEnd + 1;
  while (' \t\r\n'.includes(json[index] ?? 'x')) index += 1;
  return json[index] === ':';
}

/** A key can be written in several ways: "a" and "\u0061". */
function parseKey(text: string): string {
  return text.includes('\\') ? JSON.parse(text) : text.slice(1, -1);
}

function formatPath(open: readonly Container[]): string {
  return open
    .map(({ current }) =>
      typeof current === 'number' ? `[${current}]` : `.${toSingleLine(current, 60)}`,
    )
    .join('')
    .replace(/^\./, '');
}
