import type { SourceFiles } from './source-files.ts';

const EXPORT_PATTERN =
  /^export (?:declare |abstract |async )*(?:function\*?|const|let|class|type|interface) (\w+)/gm;
const PRODUCT_FILE = /^(contract|pipeline|server|viewer|console|sdk)\/src\/|^demo\//;
/** Kysely requires that each migration exports `up`. */
const EXCLUDED_FILE = /\.(test|contract|d)\.ts$|\/database\/migrations\//;

/** Metaphors and archaic words, not allowed in names, comments, texts and documentation. */
const FORBIDDEN_WORDS: readonly string[] = [
  ...['wish', 'wishes', 'shelf', 'shelves', 'workshop', 'maker', 'makers', 'arrival', 'arrivals'],
  ...['news', 'leash', 'likeness', 'wings', 'stranger', 'strangers', 'bystander', 'bystanders'],
  ...['mend', 'mends', 'mended', 'attend', 'attends', 'told', 'said'],
  ...['whoever', 'whomever', 'somebody', 'anew', 'alike', 'beneath', 'upon', 'wholly', 'besides'],
];

/** Words that are allowed in a sentence, but say too little as the name of a type. */
const FORBIDDEN_TYPE_NAMES: readonly string[] = [
  ...['Given', 'Ground', 'Look', 'News', 'Reach', 'Room', 'Stage', 'Still', 'Tell', 'Way'],
];

const FORBIDDEN_WORD = new RegExp(`\\b(${FORBIDDEN_WORDS.join('|')})\\b`, 'i');
const FORBIDDEN_TYPE = new RegExp(
  `\\b(?:type|interface|class) (${FORBIDDEN_TYPE_NAMES.join('|')})\\b`,
);

/** Finds names that more than one product file exports: one line for each. */
export function findDuplicateExports(files: SourceFiles): string[] {
  const pathsByName = new Map<string, Set<string>>();
  for (const [path, text] of files) {
    if (!PRODUCT_FILE.test(path) || EXCLUDED_FILE.test(path)) continue;
    for (const [, name = ''] of text.matchAll(EXPORT_PATTERN))
      pathsByName.set(name, (pathsByName.get(name) ?? new Set()).add(path));
  }
  return [...pathsByName]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => `${name}: ${[...paths].sort().join(', ')}`);
}

/** Finds lines with a forbidden word or type name: one line for each. */
export function findForbiddenWords(files: SourceFiles): string[] {
  return [...files].flatMap(([path, text]) =>
    text.split('\n').flatMap((line, index) => {
      const word =
        FORBIDDEN_WORD.exec(splitIdentifiers(line))?.[1] ?? FORBIDDEN_TYPE.exec(line)?.[1];
      return word === undefined ? [] : [`${path}:${index + 1}: "${word}" in: ${line.trim()}`];
    }),
  );
}

/** Splits identifiers into words: `lastWishAt` becomes `last Wish At`. */
function splitIdentifiers(line: string): string {
  return line.replace(/([a-z0-9])(?=[A-Z])/g, '$1 ').replaceAll('_', ' ');
}
