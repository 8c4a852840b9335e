import { Problem } from '@cloche/contract/problem';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';

/** What an archive is for: a 3MF, or a model with its files around it. */
export type ArchiveModel = { kind: '3mf' } | { kind: 'model'; modelPath: string };

const PACKED_MODEL = /\.(gltf|glb|obj)$/i;
/** Read as well, but by themselves. */
const STANDALONE_MODEL = /\.(fbx|dae|stl|ply|step|stp|igs|iges|brep|ifc|3mf)$/i;
const NESTED_ARCHIVE = /\.(zip|7z|rar|tar|gz|tgz)$/i;
const MAX_LISTED_NAMES = 5;

/**
 * Finds the model in an archive: the only one, or the only one that is least deep.
 *
 * @throws {Problem} design.unsupported, with what to pack in another way
 */
export function findModel(entries: Iterable<string>): ArchiveModel {
  const names = [...entries].filter((name) => !isSystemFile(name));
  if (names.includes('[Content_Types].xml')) {
    if (names.some((name) => /^3D\/.*\.model$/i.test(name))) return { kind: '3mf' };
    if (!names.some((name) => PACKED_MODEL.test(name))) {
      throwUnsupported('package', 'This is a document of another program, not a 3MF');
    }
  }
  if (names[0] !== undefined && /\.usd[ac]?$/i.test(names[0])) {
    throwUnsupported('usdz', 'This is a USDZ; export the design as GLB');
  }
  const models = names.filter((name) => PACKED_MODEL.test(name));
  const [modelPath, ...others] = findShallowest(models);
  if (modelPath === undefined) return throwNoModel(names);
  if (others.length === 0) return { kind: 'model', modelPath };
  const listed = [modelPath, ...others]
    .slice(0, MAX_LISTED_NAMES)
    .map((name) => quoteUntrusted(name))
    .join(', ');
  throwUnsupported(
    'several-models',
    `The archive holds ${others.length + 1} models side by side (${listed}); pack one of them with its files, or leave one alone in the root of the archive`,
  );
}

/** What systems leave behind in archives. */
function isSystemFile(name: string): boolean {
  return name.startsWith('__MACOSX/') || /(^|\/)\./.test(name);
}

function findShallowest(names: readonly string[]): string[] {
  const depthOf = (name: string) => name.split('/').length;
  const least = Math.min(...names.map(depthOf));
  return names.filter((name) => depthOf(name) === least);
}

function throwNoModel(names: readonly string[]): never {
  const lone = names.find((name) => STANDALONE_MODEL.test(name));
  if (lone !== undefined) {
    throwUnsupported(
      'lone-model',
      `The archive holds ${quoteUntrusted(lone)}, which is read only by itself; upload that file`,
    );
  }
  const archive = names.find((name) => NESTED_ARCHIVE.test(name));
  if (archive !== undefined) {
    throwUnsupported(
      'nested-archive',
      `The archive holds another one, ${quoteUntrusted(archive)}; upload what is in it`,
    );
  }
  throwUnsupported('no-model', 'The archive holds no .gltf, .glb or .obj');
}

function throwUnsupported(reason: string, complaint: string): never {
  throw new Problem('design.unsupported', { detail: `${complaint}.`, reason });
}
