import { Problem } from '@cloche/contract/problem';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { FORMATS, type Format, type FormatWithArchive, listFormats } from '../registry.ts';

/** The model in an archive: an entry, or the archive itself, such as a 3MF. */
export type ArchiveModel =
  | { kind: 'package'; format: FormatWithArchive<'always'> }
  | { kind: 'entry'; format: FormatWithArchive<'optional'>; modelPath: string };

const NESTED_ARCHIVE = /\.(zip|7z|rar|tar|gz|tgz)$/i;
const MAX_LISTED_NAMES = 5;

/**
 * Finds the model in an archive: the only one, or the only one at the lowest depth.
 *
 * @throws {Problem} design.unsupported, with what to pack instead
 */
export function findModel(entries: Iterable<string>): ArchiveModel {
  const names = [...entries].filter((name) => !isSystemFile(name));
  const packageFormat = findPackageFormat(names);
  if (packageFormat !== undefined) return { kind: 'package', format: packageFormat };
  const models = names.flatMap((name) => {
    const format = findPackableFormat(name);
    return format === undefined ? [] : [{ name, format }];
  });
  if (names.includes('[Content_Types].xml') && models.length === 0) {
    throwUnsupported(
      'package',
      'This is an Office Open XML document or another package, not a 3MF',
    );
  }
  if (names[0] !== undefined && /\.usd[ac]?$/i.test(names[0])) {
    throwUnsupported('usdz', 'This is a USDZ; export the design as GLB');
  }
  const [model, ...others] = findShallowest(models);
  if (model === undefined) return throwNoModel(names);
  if (others.length === 0) return { kind: 'entry', format: model.format, modelPath: model.name };
  const listedNames = [model, ...others]
    .slice(0, MAX_LISTED_NAMES)
    .map(({ name }) => quoteUntrusted(name))
    .join(', ');
  throwUnsupported(
    'several-models',
    `The archive has ${others.length + 1} models at the same depth (${listedNames}); pack one of them with its files, or put only one into the root of the archive`,
  );
}

/** Files that operating systems add to archives. */
function isSystemFile(name: string): boolean {
  return name.startsWith('__MACOSX/') || /(^|\/)\./.test(name);
}

function findShallowest<Entry extends { name: string }>(entries: readonly Entry[]): Entry[] {
  const depthOf = ({ name }: Entry) => name.split('/').length;
  const minimumDepth = Math.min(...entries.map(depthOf));
  return entries.filter((entry) => depthOf(entry) === minimumDepth);
}

function throwNoModel(names: readonly string[]): never {
  // No entry is packable: models found here are of the other formats.
  const standalone = names.find((name) => findFormat(name) !== undefined);
  if (standalone !== undefined) {
    throwUnsupported(
      'lone-model',
      `The archive has ${quoteUntrusted(standalone)}, which must be uploaded without an archive`,
    );
  }
  const archive = names.find((name) => NESTED_ARCHIVE.test(name));
  if (archive !== undefined) {
    throwUnsupported(
      'nested-archive',
      `The archive has another archive, ${quoteUntrusted(archive)}; upload its contents`,
    );
  }
  const extensions = listFormats()
    .filter(([, { archive }]) => archive === 'optional')
    .flatMap(([, definition]) => definition.extensions.map((extension) => `.${extension}`));
  const orList = new Intl.ListFormat('en', { type: 'disjunction' }).format(extensions);
  throwUnsupported('no-model', `The archive has no ${orList} file`);
}

/** Finds the format of a file by its extension. */
function findFormat(name: string): Format | undefined {
  const extension = /\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return listFormats().find(([, { extensions }]) => extensions.includes(extension))?.[0];
}

/** Finds the format that an archive is itself, by the names of its entries. */
function findPackageFormat(names: readonly string[]): FormatWithArchive<'always'> | undefined {
  return listFormats()
    .map(([format]) => format)
    .filter(isPackageFormat)
    .find((format) => FORMATS[format].isPackage(names));
}

function isPackageFormat(format: Format): format is FormatWithArchive<'always'> {
  return FORMATS[format].archive === 'always';
}

function findPackableFormat(name: string): FormatWithArchive<'optional'> | undefined {
  const format = findFormat(name);
  return format !== undefined && isPackable(format) ? format : undefined;
}

function isPackable(format: Format): format is FormatWithArchive<'optional'> {
  return FORMATS[format].archive === 'optional';
}

function throwUnsupported(reason: string, message: string): never {
  throw new Problem('design.unsupported', { detail: `${message}.`, reason });
}
