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
          // Parsed, because a key can be written in several ways: "a" and "\u0061".
          const key: string = JSON.parse(json.slice(index, end + 1));
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

/** Returns the index of the closing quotation mark, or an index after the text if there is none. */
export function findStringEnd(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index;
}

function isBeforeColon(json: string, stringEnd: number): boolean {
  let index = stringEnd + 1;
  while (' \t\r\n'.includes(json[index] ?? 'x')) index += 1;
  return json[index] === ':';
}

function formatPath(open: readonly Container[]): string {
  return open
    .map(({ current }) =>
      typeof current === 'number' ? `[${current}]` : `.${toSingleLine(current, 60)}`,
    )
    .join('')
    .replace(/^\./, '');
}
