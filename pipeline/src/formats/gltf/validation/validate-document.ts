import type { ModelStats } from '@cloche/contract/model-stats';
import { assertWithinLimit, Budget } from '../../../validation/budgets.ts';
import type { ByteReader } from '../../../validation/byte-reader.ts';
import type { ParsedJson } from '../../../validation/json-scanner.ts';
import type { ValidationLimits } from '../../../validation/limits.ts';
import { AccessorScanner } from './accessor-scanner.ts';
import { parseAccessors, validateEmptyAccessors } from './accessors.ts';
import { validateAnimations } from './animations.ts';
import { ReadBudget } from './block-reader.ts';
import { computeSceneBox } from './bounds.ts';
import { parseBuffers, parseBufferViews } from './buffers.ts';
import { validateCameras } from './cameras.ts';
import { parseDocument } from './document.ts';
import { countDrawnTriangles, countVertices, validateJoints } from './draw-counts.ts';
import type { ExternalFiles } from './external-files.ts';
import { assertFinite, validateMeshGeometry } from './geometry.ts';
import type { ByteRange } from './glb-container.ts';
import { validateImages } from './images.ts';
import { parseVariants, validateMaterials } from './materials.ts';
import { listDracoAccessors, parseMeshes } from './meshes.ts';
import { parseNodes } from './node-hierarchy.ts';
import { parseScenes } from './scenes.ts';
import { parseSkins } from './skins.ts';
import type { ValidationContext } from './validation-context.ts';

/** A glTF taken apart: its JSON, and where its binary data is. */
export type GltfSource = {
  json: ParsedJson;
  /** Of the file, and of those beside it. */
  totalBytes: number;
  /** The GLB, and its BIN chunk. */
  glb?: { file: ByteReader; bin: ByteRange | undefined };
  /** The files beside a .gltf; without them, all must lie in data: URIs. */
  externalFiles?: ExternalFiles;
};

/**
 * Checks a glTF from its first member to its last index, and counts what is in it.
 *
 * @throws {Problem} design.unreadable, design.too-complex
 */
export async function validateGltfDocument(
  gltf: GltfSource,
  limits: ValidationLimits,
): Promise<ModelStats> {
  const document = parseDocument(gltf.json, limits, gltf.externalFiles);

  // All that the JSON alone can tell.
  const scanner = new AccessorScanner();
  const budget = new Budget(limits);
  const readBudget = new ReadBudget(gltf.totalBytes);
  const buffers = parseBuffers(document, {
    readBudget,
    glb: gltf.glb,
    externalFiles: gltf.externalFiles,
  });
  const bufferViews = parseBufferViews(document, buffers, { scans: scanner, tally: budget });
  const accessors = parseAccessors(document, bufferViews, budget);
  const variants = parseVariants(document);
  const survey: ValidationContext = { document, bufferViews, accessors, variants, scanner, budget };

  assertWithinLimit('materials', document.materials.length, limits);
  validateMaterials(document);
  validateImages(document, survey, gltf.externalFiles);
  validateCameras(document);
  const meshes = parseMeshes(survey);
  const skins = parseSkins(survey);
  const forest = parseNodes(survey, { meshes, skins });
  validateAnimations(survey);
  const shown = parseScenes(document, forest, limits);
  const vertices = countVertices(meshes, budget);
  const triangles = countDrawnTriangles(forest, shown, budget);
  validateEmptyAccessors(accessors, listDracoAccessors(meshes), {
    fileBytes: gltf.totalBytes,
    tally: budget,
  });

  // What only the binary data can tell.
  for (const accessor of accessors) scanner.requestSparseIndices(accessor);
  await scanner.run();
  for (const accessor of accessors) assertFinite(accessor, scanner);
  for (const mesh of meshes) validateMeshGeometry(mesh, scanner);
  for (const node of forest.nodes) validateJoints(node, scanner);
  const bounds = computeSceneBox(forest, shown, scanner);

  return {
    bytes: gltf.totalBytes,
    triangles,
    vertices,
    nodes: forest.nodes.length,
    meshes: meshes.length,
    materials: document.materials.length,
    textures: document.textures.length,
    animations: document.animations.length,
    variants: variants.length,
    ...(bounds && { bounds }),
    extensions: [...document.extensionsUsed],
  };
}
