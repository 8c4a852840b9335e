import { listHostileArchives } from './hostile/archives.ts';
import { listHostileCadFiles } from './hostile/cad.ts';
import { listHostileFbxFiles } from './hostile/fbx.ts';
import { listHostileGltfs } from './hostile/gltf.ts';
import type { CanaryTargets, HostileFile } from './hostile/hostile-file.ts';
import { listHostileMeshFiles } from './hostile/obj-stl-ply.ts';
import { listUnsupportedAndTruncatedFiles } from './hostile/unsupported-files.ts';
import { listHostileXmlFiles } from './hostile/xml.ts';

/**
 * Malicious files of every format, in addition to malformed-glbs.ts. References in them point to the
 * canary, which detects access.
 */
export function* generateHostileFiles({
  canaryFile = '/etc/passwd',
  canaryUrl = 'http://127.0.0.1:9',
} = {}): Iterable<HostileFile> {
  const canary: CanaryTargets = { filePath: canaryFile, url: canaryUrl };
  yield* listHostileArchives(canary);
  yield* listHostileGltfs(canary);
  yield* listHostileMeshFiles(canary);
  yield* listHostileXmlFiles(canary);
  yield* listHostileFbxFiles(canary);
  yield* listHostileCadFiles();
  yield* listUnsupportedAndTruncatedFiles();
}
