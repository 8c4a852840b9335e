// A reader of our own instead of assimp 5.2 (assimpjs 0.0.10), which reads `#FF0000` with an alpha of
// 0, so that nothing is visible; gives an object one material, whatever its triangles have; loses
// names; ignores the unit and that Z is up; and silently ignores objects in other files of the
// archive, where all current slicers put them (production extension).
import type { ProcessingWarning } from '@cloche/contract/design';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';
import { Document, type Mesh, type mat4, type Node } from '@gltf-transform/core';
import type { ImportedModel, ModelLocation } from '../../mesh/imported-model.ts';
import { wrapSceneInNode } from '../../mesh/node-tree.ts';
import { createTextureLoader } from '../../mesh/texture-loader.ts';
import { assertWithinLimit } from '../../validation/budgets.ts';
import { VALIDATION_LIMITS } from '../../validation/limits.ts';
import { throw3mfError } from './error.ts';
import { createMeshFactory } from './materials.ts';
import type { ModelPart, ObjectReference } from './model-part.ts';
import { findRootModelPart, readModelParts } from './read-package.ts';
import { removePrintingVolumes } from './slicer-volumes.ts';
import { collect3mfWarnings } from './warnings.ts';

const METERS_PER_UNIT: { readonly [unit: string]: number } = {
  micron: 1e-6,
  millimeter: 1e-3,
  centimeter: 1e-2,
  inch: 0.0254,
  foot: 0.3048,
  meter: 1,
};
/** The maximum depth of components, which no program reaches. */
const MAX_COMPONENT_DEPTH = 64;
const Z_UP_TO_Y_UP: mat4 = [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1];

/**
 * Imports a 3MF: objects, components, instances, materials, colors and textures.
 *
 * @throws {Problem} design.unreadable
 */
export async function import3mf(_: Buffer, location?: ModelLocation): Promise<ImportedModel> {
  if (!location) return throw3mfError('it is not an archive');
  const rootPath = await findRootModelPart(location.archive);
  const parts = await readModelParts(location.archive, rootPath);
  const rootPart = parts.get(rootPath);
  if (rootPart) await removePrintingVolumes(location.archive, rootPart);
  const document = new Document();
  const warnings: ProcessingWarning[] = [];
  const textures = createTextureLoader(document, warnings, location);
  const builder: SceneBuilder = {
    document,
    parts,
    meshes: new Map(),
    scale: getMetersPerUnit(rootPart?.unit ?? ''),
    nodeCount: 0,
    hiddenTypes: listHiddenTypes(parts),
    createMesh: createMeshFactory(document, textures),
  };
  const scene = document.createScene();
  for (const item of rootPart?.buildItems ?? []) {
    const node = await createNode(builder, item, { path: rootPath, depth: 0 });
    if (node) scene.addChild(node);
  }
  if (document.getRoot().listMeshes().length === 0) {
    throw3mfError('it has no triangles to build');
  }
  wrapSceneInNode(document, Z_UP_TO_Y_UP);
  return { document, warnings: [...warnings, ...collect3mfWarnings(parts.values())] };
}

/**
 * Supports are needed only while the model is printed. In files of slicers, other objects beside the model change how it is printed:
 * modifiers, negative volumes, and blockers of supports.
 */
function listHiddenTypes(parts: ReadonlyMap<string, ModelPart>): readonly string[] {
  const objects = [...parts.values()].flatMap((part) => [...part.objects.values()]);
  const hasModel = objects.some(({ type, triangles }) => type === 'model' && triangles.length > 0);
  return ['support', 'solidsupport', ...(hasModel ? ['other'] : [])];
}

function getMetersPerUnit(unit: string): number {
  return Object.hasOwn(METERS_PER_UNIT, unit)
    ? (METERS_PER_UNIT[unit] as number)
    : throw3mfError(`its unit ${quoteUntrusted(unit)} is unknown`);
}

type SceneBuilder = {
  document: Document;
  parts: ReadonlyMap<string, ModelPart>;
  /** The meshes created so far, by path and id of the object. */
  meshes: Map<string, Mesh | undefined>;
  scale: number;
  nodeCount: number;
  /** The types of objects that are not shown. */
  hiddenTypes: readonly string[];
  createMesh: ReturnType<typeof createMeshFactory>;
};

/** The location of a reference: the path of its model part, and the number of components above it. */
type ReferenceLocation = { path: string; depth: number };

/** Creates the node of a component or build item and all nodes below it. */
async function createNode(
  builder: SceneBuilder,
  reference: ObjectReference,
  location: ReferenceLocation,
): Promise<Node | undefined> {
  const path = reference.path ?? location.path;
  const part = builder.parts.get(path);
  const object = part?.objects.get(reference.objectId);
  if (!part || !object) {
    return throw3mfError(`it has no object ${quoteUntrusted(reference.objectId)}`);
  }
  if (location.depth > MAX_COMPONENT_DEPTH) {
    throw3mfError('its components are nested too deeply');
  }
  assertWithinLimit('nodes', ++builder.nodeCount, VALIDATION_LIMITS);
  if (builder.hiddenTypes.includes(object.type)) return undefined;

  const node = builder.document
    .createNode(object.name)
    .setMatrix(scaleTranslation(reference.matrix, builder.scale));
  const key = `${path}\n${reference.objectId}`;
  if (!builder.meshes.has(key)) {
    builder.meshes.set(key, await builder.createMesh(object, part, builder.scale));
  }
  node.setMesh(builder.meshes.get(key) ?? null);
  for (const component of object.components) {
    const child = await createNode(builder, component, { path, depth: location.depth + 1 });
    if (child) node.addChild(child);
  }
  return node;
}

/** Converts the translation of a matrix to meters. */
function scaleTranslation(matrix: mat4, scale: number): mat4 {
  return matrix.map((value, index) => (index >= 12 && index < 15 ? value * scale : value)) as mat4;
}
