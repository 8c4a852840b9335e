import type { Stats } from '@cloche/contract/stats';
import { checkEmptiness, readAccessors } from './accessors.ts';
import { checkAnimations } from './animations.ts';
import { sceneBox } from './bounds.ts';
import { readBuffers, readViews } from './buffers.ts';
import { checkCameras } from './cameras.ts';
import type { Stretch } from './container.ts';
import { openDocument } from './document.ts';
import { checkJoints, countDrawn, countVertices } from './drawn.ts';
import { checkFinite, checkGeometry } from './geometry.ts';
import { checkImages } from './images.ts';
import type { Json } from './json.ts';
import { type Limits, limit, Tally } from './limits.ts';
import { checkMaterials, readVariants } from './materials.ts';
import { readMeshes, unpackedBy } from './meshes.ts';
import { readNodes } from './nodes.ts';
import { Meter } from './reader.ts';
import { Scans } from './scans.ts';
import { readScenes } from './scenes.ts';
import type { Siblings } from './siblings.ts';
import { readSkins } from './skins.ts';
import type { Source } from './source.ts';
import type { Survey } from './survey.ts';

/** A glTF taken apart: its JSON, and where its binary data is. */
export type Gltf = {
  json: Json;
  /** Of the file, and of those beside it. */
  bytes: number;
  /** The GLB, and its BIN chunk. */
  glb?: { file: Source; bin: Stretch | undefined };
  /** The files beside a .gltf; without them, all must lie in data: URIs. */
  siblings?: Siblings;
};

/**
 * Checks a glTF from its first member to its last index, and counts what is in it.
 *
 * @throws {Problem} design.unreadable, design.too-complex
 */
export async function checkGltf(gltf: Gltf, limits: Limits): Promise<Stats> {
  const document = openDocument(gltf.json, limits, gltf.siblings);

  // All that the JSON alone can tell.
  const scans = new Scans();
  const tally = new Tally(limits);
  const meter = new Meter(gltf.bytes);
  const buffers = readBuffers(document, { meter, glb: gltf.glb, siblings: gltf.siblings });
  const views = readViews(document, buffers, { scans, tally });
  const accessors = readAccessors(document, views, tally);
  const variants = readVariants(document);
  const survey: Survey = { document, views, accessors, variants, scans, tally };

  limit('materials', document.materials.length, limits);
  checkMaterials(document);
  checkImages(document, survey, gltf.siblings);
  checkCameras(document);
  const meshes = readMeshes(survey);
  const skins = readSkins(survey);
  const forest = readNodes(survey, { meshes, skins });
  checkAnimations(survey);
  const shown = readScenes(document, forest, limits);
  const vertices = countVertices(meshes, tally);
  const triangles = countDrawn(forest, shown, tally);
  checkEmptiness(accessors, unpackedBy(meshes), { fileBytes: gltf.bytes, tally });

  // What only the binary data can tell.
  for (const accessor of accessors) scans.askSparse(accessor);
  await scans.run();
  for (const accessor of accessors) checkFinite(accessor, scans);
  for (const mesh of meshes) checkGeometry(mesh, scans);
  for (const node of forest.nodes) checkJoints(node, scans);
  const bounds = sceneBox(forest, shown, scans);

  return {
    bytes: gltf.bytes,
    triangles,
    vertices,
    nodes: forest.nodes.length,
    meshes: meshes.length,
    materials: document.materials.length,
    textures: document.textures.length,
    animations: document.animations.length,
    variants: variants.length,
    ...(bounds && { bounds }),
    extensions: [...document.extensions],
  };
}
