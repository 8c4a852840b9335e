import { posix } from 'node:path';
import type { SourceFiles } from './source-files.ts';

/** Text between backticks, outside of blocks of commands. */
const CODE_SPAN = /(?<!`)`([^`\n]+)`(?!`)/g;
/** A file with an extension or, with a slash at its end, a directory: `server/src/app.ts`, `docs/decisions/`. */
const PATH = /^[\w@.-]+(?:\/[\w@.-]+)*(?:\/|\/[\w@.-]+\.(?:css|html|js|json|md|ts))$/;
const LINK = /\]\(([^()\s]+)\)/g;
const EXTERNAL_LINK = /^(?:[a-z]+:|\/)/;
/** Paths in these documents may leave out the directory of the server. */
const SERVER_DIRECTORY = 'server/src/';
const NPM_SCRIPT = /\bnpm (?:run ([\w-]+)|(start|test)\b)/g;
const VARIABLE = /\bCLOCHE_[A-Z_]+\b/g;
const TABLE_CODE = /^\| (`[^|]*`) \|/gm;
/** A warning in the code: `code: 'x.y'`, or the first argument of a function that creates one. */
const WARNING = /(?:\bcode: |\bignoredWarning\(\s*|\badd\()'([a-z-]+\.[a-z-]+)'/g;

/** Finds code spans that name a file or a directory that does not exist: one line for each. */
export function findMissingPaths(
  documents: SourceFiles,
  exists: (path: string) => boolean,
): string[] {
  return [...documents].flatMap(([document, text]) =>
    listMatches(removeCodeBlocks(text), CODE_SPAN)
      .filter((span) => PATH.test(span))
      .filter((span) => !exists(span) && !exists(SERVER_DIRECTORY + span))
      .map((span) => `${document}: ${span} does not exist`),
  );
}

/**
 * Finds links to a file or a heading that does not exist: one line for each. `listHeadingIds` returns the
 * ids of the headings of a document.
 */
export function findBrokenLinks(
  documents: SourceFiles,
  exists: (path: string) => boolean,
  listHeadingIds: (text: string) => string[],
): string[] {
  const isBroken = (document: string, link: string) => {
    const [path = '', id] = link.split('#');
    const target = path === '' ? document : posix.join(posix.dirname(document), path);
    if (!exists(target)) return true;
    return id !== undefined && !listHeadingIds(documents.get(target) ?? '').includes(id);
  };
  return [...documents].flatMap(([document, text]) =>
    listMatches(removeCodeBlocks(text), LINK)
      .filter((link) => !EXTERNAL_LINK.test(link) && isBroken(document, link))
      .map((link) => `${document}: the target of ${link} does not exist`),
  );
}

/** Finds `npm` commands for scripts that package.json does not have: one line for each. */
export function findUnknownScripts(documents: SourceFiles, scripts: readonly string[]): string[] {
  return [...documents].flatMap(([document, text]) =>
    [...text.matchAll(NPM_SCRIPT)]
      .map(([, run, short]) => run ?? short ?? '')
      .filter((name) => !scripts.includes(name))
      .map((name) => `${document}: package.json has no script "${name}"`),
  );
}

/** Finds names that begin with `CLOCHE_` and that no source file contains: one line for each. */
export function findUnknownVariables(documents: SourceFiles, sources: SourceFiles): string[] {
  const known = new Set([...sources.values()].flatMap((text) => text.match(VARIABLE) ?? []));
  return [...documents].flatMap(([document, text]) =>
    [...new Set(text.match(VARIABLE))]
      .filter((name) => !known.has(name))
      .map((name) => `${document}: no source file has ${name}`),
  );
}

/** Lists the codes in the first column of the tables of a section: `a` and `b` of "| `a`, `b` |". */
export function listTableCodes(text: string, heading: string): string[] {
  const section = text.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return listMatches(section, TABLE_CODE).flatMap((cell) => listMatches(cell, CODE_SPAN));
}

/** Lists the codes of all warnings that the source files create, each once. */
export function listWarningCodes(sources: SourceFiles): string[] {
  return [...new Set([...sources.values()].flatMap((text) => listMatches(text, WARNING)))];
}

function removeCodeBlocks(text: string): string {
  return text.replace(/^ *```[\s\S]*?^ *```$/gm, '');
}

/** Lists the first group of each match. */
function listMatches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, group = '']) => group);
}
