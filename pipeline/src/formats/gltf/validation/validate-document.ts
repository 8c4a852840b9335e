import type { ModelStats } from '@cloche/contract/model-stats';
import { assertWithinLimit, Budget } from '../../../validation/budgets.ts';
import type { ByteReader } from '../../../validation/byte-reader.ts';
import type { ParsedJson } from '../../../validation/json-scanner.ts';
import type { ValidationLimits } from '../../../validation/limits.ts';
import type { ValidatedContent } from '../../../validation/validated-content.ts';
import { AccessorScanner } from './accessor-scanner.ts';
import { parseAccessors, validateEmptyAccessors } from './accessors.ts';
import { validateAnimations } from './animations.ts';
import { ReadBudget } from './block-reader.ts';
import { computeSceneBox } from './bounds.ts';
import { parseBuffers, parseBufferViews } from './buffers.ts';
import { validateCameras } from './cameras.ts';
import { parseDocument } from './document.ts';
import { countDrawnTriangles, countVertices } from './draw-counts.ts';
import type { ExternalFiles } from './external-files.ts';
import { assertFinite, validateJoints, validateMeshGeometry } from './geometry.ts';
import { validateImages } from './images.ts';
import { parseVariants, validateMaterials } from './materials.ts';
import { listDracoAccessors, parseMeshes } from './meshes.ts';
import { parseNodes } from './node-hierarchy.ts';
import type { ChunkRange } from './parse-glb.ts';
import { parseScenes } from './scenes.ts';
import { parseSkins } from './skins.ts';
import type { ValidationContext } from './validation-context.ts';

/** The JSON of a glTF, and the location of its binary data. */
export type GltfSource = {
  json: ParsedJson;
  /** The size of the file and its external files. */
  totalBytes: number;
  /** Only for a GLB: the file and its BIN chunk. */
  glb?: { file: ByteReader; bin: ChunkRange | undefined };
  /** The external files. Without them, all data must be in the file. */
  externalFiles?: ExternalFiles;
};

/** The content of a glTF, which is always counted. */
export type GltfContent = ValidatedContent & { stats: ModelStats };

/**
 * Checks a glTF completely and counts what it contains.
 *
 * @throws {Problem} design.unreadable, design.too-complex
 */
export async function validateGltfDocument(
  gltf: GltfSource,
  limits: ValidationLimits,
): Promise<GltfContent> {
  const document = parseDocument(gltf.json, limits, gltf.externalFiles);

  // Checks that need only the JSON.
  const scanner = new AccessorScanner();
  const budget = new Budget(limits);
  const readBudget = new ReadBudget(gltf.totalBytes);
  const buffers = parseBuffers(document, {
    readBudget,
    glb: gltf.glb,
    externalFiles: gltf.externalFiles,
  });
  const bufferViews = parseBufferViews(document, buffers, { scanner, budget });
  const accessors = parseAccessors(document, bufferViews, budget);
  const variants = parseVariants(document);
  const context: ValidationContext = {
    document,
    bufferViews,
    accessors,
    variants,
    scanner,
    budget,
  };

  assertWithinLimit('materials', document.materials.length, limits);
  validateMaterials(document);
  validateImages(document, context, gltf.externalFiles);
  validateCameras(document);
  const meshes = parseMeshes(context);
  const skins = parseSkins(context);
  const hierarchy = parseNodes(context, { meshes, skins });
  validateAnimations(context);
  const visibleNodes = parseScenes(document, hierarchy, limits);
  const vertices = countVertices(meshes, budget);
  const triangles = countDrawnTriangles(hierarchy, visibleNodes, budget);
  validateEmptyAccessors(accessors, listDracoAccessors(meshes), {
    fileBytes: gltf.totalBytes,
    budget,
  });

  // Checks that need the binary data.
  for (const accessor of accessors) scanner.requestSparseIndices(accessor);
  await scanner.run();
  for (const accessor of accessors) assertFinite(accessor, scanner);
  for (const mesh of meshes) validateMeshGeometry(mesh, scanner);
  for (const node of hierarchy.nodes) validateJoints(node, scanner);
  const bounds = computeSceneBox(hierarchy, visibleNodes, scanner);

  const stats: ModelStats = {
    bytes: gltf.totalBytes,
    triangles,
    vertices,
    nodes: hierarchy.nodes.length,
    meshes: meshes.length,
    materials: document.materials.length,
    textures: document.textures.length,
    animations: document.animations.length,
    variants: variants.length,
    ...(bounds && { bounds }),
    extensions: [...document.extensionsUsed],
  };
  return { stats, decodedBytes: computeDecodedBytes(stats, budget) };
}

/** A node, mesh or material with its properties takes about as much time as so many bytes of geometry. */
const BYTES_PER_OBJECT = 1024;
const BYTES_PER_PIXEL = 4;

function computeDecodedBytes(
  { bytes, nodes, meshes, materials }: ModelStats,
  budget: Budget,
): number {
  const objectBytes = BYTES_PER_OBJECT * (nodes + meshes + materials);
  const imageBytes = BYTES_PER_PIXEL * budget.getTotal('pixels');
  return bytes + budget.getTotal('geometryBytes') + imageBytes + objectBytes;
}
