import { Problem } from '@cloche/contract/problem';
import { quote } from '../quote.ts';

/** What an archive is for: a 3MF, or a model with its files around it. */
export type Contents = { kind: '3mf' } | { kind: 'model'; main: string };

const MODEL = /\.(gltf|glb|obj)$/i;
/** Read as well, but by themselves. */
const LONE = /\.(fbx|dae|stl|ply|step|stp|igs|iges|brep|ifc|3mf)$/i;
const ARCHIVE = /\.(zip|7z|rar|tar|gz|tgz)$/i;
const MAX_LISTED = 5;

/**
 * Finds the model in an archive: the only one, or the only one that is least deep.
 *
 * @throws {Problem} design.unsupported, with what to pack in another way
 */
export function findContents(entries: Iterable<string>): Contents {
  const names = [...entries].filter((name) => !isLitter(name));
  if (names.includes('[Content_Types].xml')) {
    if (names.some((name) => /^3D\/.*\.model$/i.test(name))) return { kind: '3mf' };
    if (!names.some((name) => MODEL.test(name))) {
      refuse('package', 'This is a document of another program, not a 3MF');
    }
  }
  if (names[0] !== undefined && /\.usd[ac]?$/i.test(names[0])) {
    refuse('usdz', 'This is a USDZ; export the design as GLB');
  }
  const models = names.filter((name) => MODEL.test(name));
  const [main, ...others] = leastDeep(models);
  if (main === undefined) return refuseWithout(names);
  if (others.length === 0) return { kind: 'model', main };
  const listed = [main, ...others].slice(0, MAX_LISTED).map(quote).join(', ');
  refuse(
    'several-models',
    `The archive holds ${others.length + 1} models side by side (${listed}); pack one of them with its files, or leave one alone in the root of the archive`,
  );
}

/** What systems leave behind in archives. */
function isLitter(name: string): boolean {
  return name.startsWith('__MACOSX/') || /(^|\/)\./.test(name);
}

function leastDeep(names: readonly string[]): string[] {
  const depthOf = (name: string) => name.split('/').length;
  const least = Math.min(...names.map(depthOf));
  return names.filter((name) => depthOf(name) === least);
}

function refuseWithout(names: readonly string[]): never {
  const lone = names.find((name) => LONE.test(name));
  if (lone !== undefined) {
    refuse(
      'lone-model',
      `The archive holds ${quote(lone)}, which is read only by itself; upload that file`,
    );
  }
  const archive = names.find((name) => ARCHIVE.test(name));
  if (archive !== undefined) {
    refuse(
      'nested-archive',
      `The archive holds another one, ${quote(archive)}; upload what is in it`,
    );
  }
  refuse('no-model', 'The archive holds no .gltf, .glb or .obj');
}

function refuse(reason: string, complaint: string): never {
  throw new Problem('design.unsupported', { detail: `${complaint}.`, reason });
}
