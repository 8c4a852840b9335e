import { Problem } from '@cloche/contract/problem';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';

/** The model in an archive: a 3MF, which is the archive itself, or an entry. */
export type ArchiveModel = { kind: '3mf' } | { kind: 'model'; modelPath: string };

const PACKED_MODEL = /\.(gltf|glb|obj)$/i;
/** Models of formats that are not read from archives. */
const STANDALONE_MODEL = /\.(fbx|dae|stl|ply|step|stp|igs|iges|brep|ifc|3mf)$/i;
const NESTED_ARCHIVE = /\.(zip|7z|rar|tar|gz|tgz)$/i;
const MAX_LISTED_NAMES = 5;

/**
 * Finds the model in an archive: the only one, or the only one at the lowest depth.
 *
 * @throws {Problem} design.unsupported, with what to pack instead
 */
export function findModel(entries: Iterable<string>): ArchiveModel {
  const names = [...entries].filter((name) => !isSystemFile(name));
  if (names.includes('[Content_Types].xml')) {
    if (names.some((name) => /^3D\/.*\.model$/i.test(name))) return { kind: '3mf' };
    if (!names.some((name) => PACKED_MODEL.test(name))) {
      throwUnsupported(
        'package',
        'This is an Office Open XML document or another package, not a 3MF',
      );
    }
  }
  if (names[0] !== undefined && /\.usd[ac]?$/i.test(names[0])) {
    throwUnsupported('usdz', 'This is a USDZ; export the design as GLB');
  }
  const models = names.filter((name) => PACKED_MODEL.test(name));
  const [modelPath, ...others] = findShallowest(models);
  if (modelPath === undefined) return throwNoModel(names);
  if (others.length === 0) return { kind: 'model', modelPath };
  const listedNames = [modelPath, ...others]
    .slice(0, MAX_LISTED_NAMES)
    .map((name) => quoteUntrusted(name))
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

function findShallowest(names: readonly string[]): string[] {
  const depthOf = (name: string) => name.split('/').length;
  const minimumDepth = Math.min(...names.map(depthOf));
  return names.filter((name) => depthOf(name) === minimumDepth);
}

function throwNoModel(names: readonly string[]): never {
  const standalone = names.find((name) => STANDALONE_MODEL.test(name));
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
  throwUnsupported('no-model', 'The archive has no .gltf, .glb or .obj file');
}

function throwUnsupported(reason: string, message: string): never {
  throw new Problem('design.unsupported', { detail: `${message}.`, reason });
}
