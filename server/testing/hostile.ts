import { hostileArchives } from './hostile/archives.ts';
import type { Canary, Hostile } from './hostile/file.ts';
import { hostileGltfs } from './hostile/gltf.ts';
import { hostileMarkup } from './hostile/markup.ts';
import { hostileMeshes } from './hostile/meshes.ts';
import { hostileScenes } from './hostile/scenes.ts';
import { hostileSolids } from './hostile/solids.ts';
import { strangers } from './hostile/strangers.ts';

/**
 * Files of every format that mean harm, beside the broken GLBs of malformed.ts. Those that point
 * somewhere point at the canary, so that whoever follows them is seen.
 */
export function* hostileFiles({
  canaryFile = '/etc/passwd',
  canaryUrl = 'http://127.0.0.1:9',
} = {}): Iterable<Hostile> {
  const canary: Canary = { file: canaryFile, url: canaryUrl };
  yield* hostileArchives(canary);
  yield* hostileGltfs(canary);
  yield* hostileMeshes(canary);
  yield* hostileMarkup(canary);
  yield* hostileScenes(canary);
  yield* hostileSolids();
  yield* strangers();
}
