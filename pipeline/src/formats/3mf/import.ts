import type { ProcessingWarning } from '@cloche/contract/design';
import { Document, type Mesh, type mat4, type Node } from '@gltf-transform/core';
import type { ImportedModel, ModelLocation } from '../../mesh/imported-model.ts';
import { wrapSceneInNode } from '../../mesh/node-tree.ts';
import { createTextureLoader } from '../../mesh/texture-loader.ts';
import { assertWithinLimit, VALIDATION_LIMITS } from '../../validation/budgets.ts';
import { quoteUntrusted } from '../../validation/quote-untrusted.ts';
import { readXmlTags } from '../../validation/xml-tag-reader.ts';
import type { ModelArchive } from '../../validation/zip/model-archive.ts';
import { createMeshFactory } from './materials.ts';
import {
  type ModelPart,
  type ObjectReference,
  parseModelPart,
  threeMfError,
} from './model-part.ts';

/** Metres in each unit that a 3MF may have. */
const METERS_PER_UNIT: { readonly [unit: string]: number } = {
  micron: 1e-6,
  millimeter: 1e-3,
  centimeter: 1e-2,
  inch: 0.0254,
  foot: 0.3048,
  meter: 1,
};
const MODEL_RELATIONSHIP = /\/3dmodel$/;
/** Components may hold components; nothing made by a program goes this deep. */
const MAX_COMPONENT_DEPTH = 64;
const Z_UP_TO_Y_UP: mat4 = [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1];

/**
 * Reads 3MF: objects, components, instances, materials, colours and pictures.
 *
 * A reader of our own, not assimp's. Tried with 5.2: `#FF0000` gets an alpha of 0, so that nothing is
 * seen; an object has one material, whatever its triangles say; names are lost; the unit and Z up are
 * left as they are; and objects in other files of the archive, as the slicers of today write all
 * theirs (production extension), are left out without a word.
 */
export async function import3mf(_: Buffer, place?: ModelLocation): Promise<ImportedModel> {
  if (!place) throw threeMfError('it is not an archive');
  const start = await findRootModelPart(place.archive);
  const models = await readModelParts(place.archive, start);
  const document = new Document();
  const warnings: ProcessingWarning[] = [];
  const textures = createTextureLoader(document, warnings, place);
  const builder = {
    document,
    models,
    meshes: new Map<string, Mesh | undefined>(),
    scale: getMetersPerUnit(models, start),
    nodes: 0,
    createMesh: createMeshFactory(document, textures),
  };
  const scene = document.createScene();
  for (const item of models.get(start)?.buildItems ?? []) {
    const node = await createComponentNode(item, start, builder, 0);
    if (node) scene.addChild(node);
  }
  if (document.getRoot().listMeshes().length === 0)
    throw threeMfError('it has no triangles to build');
  wrapSceneInNode(document, Z_UP_TO_Y_UP);
  for (const { unsupported } of models.values()) {
    for (const name of unsupported)
      warnings.push({
        code: 'extension.unread',
        message: `The 3MF has ${quoteUntrusted(name)}, which was not read.`,
      });
  }
  return { document, warnings };
}

/** The model file that the archive says it starts with. */
async function findRootModelPart(archive: ModelArchive): Promise<string> {
  const relations = archive.find('_rels/.rels');
  if (relations !== undefined) {
    for (const tag of readXmlTags((await archive.read(relations)).toString('utf8'))) {
      const path = MODEL_RELATIONSHIP.test(tag.getAttribute('Type') ?? '')
        ? archive.find(tag.getAttribute('Target') ?? '')
        : undefined;
      if (path !== undefined) return path;
    }
  }
  return archive.find('3D/3dmodel.model') ?? throw3mfError('it has no model file');
}

function throw3mfError(what: string): never {
  throw threeMfError(what);
}

/** The first model file and all that its parts refer to. */
async function readModelParts(
  archive: ModelArchive,
  start: string,
): Promise<Map<string, ModelPart>> {
  const models = new Map<string, ModelPart>();
  const wanted = [start];
  for (let path = wanted.pop(); path !== undefined; path = wanted.pop()) {
    if (models.has(path)) continue;
    const model = parseModelPart((await archive.read(path)).toString('utf8'));
    models.set(path, model);
    const parts = [
      ...model.buildItems,
      ...[...model.objects.values()].flatMap(({ components }) => components),
    ];
    for (const part of parts) {
      if (part.path === undefined) continue;
      part.path =
        archive.find(part.path) ?? throw3mfError(`it has no file ${quoteUntrusted(part.path)}`);
      wanted.push(part.path);
    }
  }
  return models;
}

function getMetersPerUnit(models: ReadonlyMap<string, ModelPart>, start: string): number {
  const unit = models.get(start)?.unit ?? '';
  return Object.hasOwn(METERS_PER_UNIT, unit)
    ? (METERS_PER_UNIT[unit] as number)
    : throw3mfError(`its unit ${quoteUntrusted(unit)} is unknown`);
}

type SceneBuilder = {
  document: Document;
  models: ReadonlyMap<string, ModelPart>;
  meshes: Map<string, Mesh | undefined>;
  scale: number;
  nodes: number;
  createMesh: ReturnType<typeof createMeshFactory>;
};

/** The node for a component or an item, with all below it. */
async function createComponentNode(
  part: ObjectReference,
  from: string,
  builder: SceneBuilder,
  depth: number,
): Promise<Node | undefined> {
  const path = part.path ?? from;
  const model = builder.models.get(path);
  const object = model?.objects.get(part.objectId);
  if (!model || !object) return throw3mfError(`it has no object ${quoteUntrusted(part.objectId)}`);
  if (depth > MAX_COMPONENT_DEPTH) throw3mfError('its objects hold each other too deeply');
  assertWithinLimit('nodes', ++builder.nodes, VALIDATION_LIMITS);
  // What holds a print up while it is made is no part of the design.
  if (object.type === 'support' || object.type === 'solidsupport') return undefined;

  const node = builder.document
    .createNode(object.name)
    .setMatrix(scaleTranslation(part.matrix, builder.scale));
  const key = `${path}\n${part.objectId}`;
  if (!builder.meshes.has(key)) {
    builder.meshes.set(key, await builder.createMesh(object, model, builder.scale));
  }
  node.setMesh(builder.meshes.get(key) ?? null);
  for (const component of object.components) {
    const child = await createComponentNode(component, path, builder, depth + 1);
    if (child) node.addChild(child);
  }
  return node;
}

/** The same place when lengths are in metres. */
function scaleTranslation(matrix: mat4, scale: number): mat4 {
  return matrix.map((value, at) => (at >= 12 && at < 15 ? value * scale : value)) as mat4;
}
