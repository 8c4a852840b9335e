import type { Stats } from '@cloche/contract/stats';
import { checkEmptiness, readAccessors } from './accessors.ts';
import { checkAnimations } from './animations.ts';
import { sceneBox } from './bounds.ts';
import { readBuffers, readViews } from './buffers.ts';
import { checkCameras } from './cameras.ts';
import { readContainer } from './container.ts';
import { openDocument } from './document.ts';
import { checkJoints, countDrawn, countVertices } from './drawn.ts';
import { checkFinite, checkGeometry } from './geometry.ts';
import { checkImages } from './images.ts';
import { parseJson } from './json.ts';
import { LIMITS, type Limits, Tally } from './limits.ts';
import { checkMaterials, readVariants } from './materials.ts';
import { readMeshes, unpackedBy } from './meshes.ts';
import { readNodes } from './nodes.ts';
import { Meter, Reader } from './reader.ts';
import { Scans } from './scans.ts';
import { readScenes } from './scenes.ts';
import { readSkins } from './skins.ts';
import type { Source } from './source.ts';
import type { Survey } from './survey.ts';

/**
 * Checks a GLB from its first byte to its last index before anything else opens it, and counts
 * what is in it.
 *
 * Time is linear in the size of the file; memory is what the JSON needs, and a block of 1 MiB.
 *
 * @throws {Problem} design.unsupported: the bytes are of another format;
 *   design.unreadable: damaged or not valid, `detail` saying where;
 *   design.too-complex: it would decode to more than `limits`
 */
export async function preflight(file: Source, limits: Limits = LIMITS): Promise<Stats> {
  const { json, bin } = await readContainer(file, limits);
  const document = openDocument(
    parseJson(await file.read(json.offset, json.length), limits),
    limits,
  );

  // All that the JSON alone can tell.
  const scans = new Scans();
  const tally = new Tally(limits);
  const meter = new Meter(file.size);
  const buffers = readBuffers(document, { reader: new Reader(file, meter), meter, bin });
  const views = readViews(document, buffers, { scans, tally });
  const accessors = readAccessors(document, views, tally);
  const variants = readVariants(document);
  const survey: Survey = { document, views, accessors, variants, scans, tally };

  checkMaterials(document);
  checkImages(document, survey);
  checkCameras(document);
  const meshes = readMeshes(survey);
  const skins = readSkins(survey);
  const forest = readNodes(survey, { meshes, skins });
  checkAnimations(survey);
  const shown = readScenes(document, forest, limits);
  const vertices = countVertices(meshes, tally);
  const triangles = countDrawn(forest, shown, tally);
  checkEmptiness(accessors, unpackedBy(meshes), { fileBytes: file.size, tally });

  // What only the binary data can tell.
  for (const accessor of accessors) scans.askSparse(accessor);
  await scans.run();
  for (const accessor of accessors) checkFinite(accessor, scans);
  for (const mesh of meshes) checkGeometry(mesh, scans);
  for (const node of forest.nodes) checkJoints(node, scans);
  const bounds = sceneBox(forest, shown, scans);

  return {
    bytes: file.size,
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
