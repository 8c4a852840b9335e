import { Document, type Mesh, type mat4, type Node } from '@gltf-transform/core';
import { LIMITS, limit } from '../../preflight/limits.ts';
import { quote } from '../../preflight/quote.ts';
import type { Warning } from '../../report.ts';
import type { Archive } from '../archive.ts';
import { putBelow } from '../assimp/tree.ts';
import type { Imported, Place } from '../imported.ts';
import { openTextures } from '../textures.ts';
import { readTags } from '../xml.ts';
import { openLooks } from './looks.ts';
import { bad, type Component, type Model, readModel } from './model.ts';

/** Metres in each unit that a 3MF may have. */
const UNITS: { readonly [unit: string]: number } = {
  micron: 1e-6,
  millimeter: 1e-3,
  centimeter: 1e-2,
  inch: 0.0254,
  foot: 0.3048,
  meter: 1,
};
const MODEL = /\/3dmodel$/;
/** Components may hold components; nothing made by a program goes this deep. */
const DEEPEST = 64;
const Z_UP: mat4 = [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1];

/**
 * Reads 3MF: objects, components, instances, materials, colours and pictures.
 *
 * A reader of our own, not assimp's. Tried with 5.2: `#FF0000` gets an alpha of 0, so that nothing is
 * seen; an object has one material, whatever its triangles say; names are lost; the unit and Z up are
 * left as they are; and objects in other files of the archive, as the slicers of today write all
 * theirs (production extension), are left out without a word.
 */
export async function read3mf(_: Buffer, place?: Place): Promise<Imported> {
  if (!place) throw bad('it is not an archive');
  const start = await findStart(place.archive);
  const models = await readModels(place.archive, start);
  const document = new Document();
  const warnings: Warning[] = [];
  const textures = openTextures(document, warnings, place);
  const builder = {
    document,
    models,
    meshes: new Map<string, Mesh | undefined>(),
    scale: scaleOf(models, start),
    nodes: 0,
    looks: openLooks(document, textures),
  };
  const scene = document.createScene();
  for (const item of models.get(start)?.items ?? []) {
    const node = await place3mf(item, start, builder, 0);
    if (node) scene.addChild(node);
  }
  if (document.getRoot().listMeshes().length === 0) throw bad('it has no triangles to build');
  putBelow(document, Z_UP);
  for (const { unread } of models.values()) {
    for (const name of unread)
      warnings.push({
        code: 'extension.unread',
        message: `The 3MF has ${quote(name)}, which was not read.`,
      });
  }
  return { document, warnings };
}

/** The model file that the archive says it starts with. */
async function findStart(archive: Archive): Promise<string> {
  const relations = archive.find('_rels/.rels');
  if (relations !== undefined) {
    for (const tag of readTags((await archive.read(relations)).toString('utf8'))) {
      const path = MODEL.test(tag.get('Type') ?? '')
        ? archive.find(tag.get('Target') ?? '')
        : undefined;
      if (path !== undefined) return path;
    }
  }
  return archive.find('3D/3dmodel.model') ?? fail('it has no model file');
}

function fail(what: string): never {
  throw bad(what);
}

/** The first model file and all that its parts refer to. */
async function readModels(archive: Archive, start: string): Promise<Map<string, Model>> {
  const models = new Map<string, Model>();
  const wanted = [start];
  for (let path = wanted.pop(); path !== undefined; path = wanted.pop()) {
    if (models.has(path)) continue;
    const model = readModel((await archive.read(path)).toString('utf8'));
    models.set(path, model);
    const parts = [
      ...model.items,
      ...[...model.objects.values()].flatMap(({ components }) => components),
    ];
    for (const part of parts) {
      if (part.path === undefined) continue;
      part.path = archive.find(part.path) ?? fail(`it has no file ${quote(part.path)}`);
      wanted.push(part.path);
    }
  }
  return models;
}

function scaleOf(models: ReadonlyMap<string, Model>, start: string): number {
  const unit = models.get(start)?.unit ?? '';
  return Object.hasOwn(UNITS, unit)
    ? (UNITS[unit] as number)
    : fail(`its unit ${quote(unit)} is unknown`);
}

type Builder = {
  document: Document;
  models: ReadonlyMap<string, Model>;
  meshes: Map<string, Mesh | undefined>;
  scale: number;
  nodes: number;
  looks: ReturnType<typeof openLooks>;
};

/** The node for a component or an item, with all below it. */
async function place3mf(
  part: Component,
  from: string,
  builder: Builder,
  depth: number,
): Promise<Node | undefined> {
  const path = part.path ?? from;
  const model = builder.models.get(path);
  const object = model?.objects.get(part.object);
  if (!model || !object) return fail(`it has no object ${quote(part.object)}`);
  if (depth > DEEPEST) fail('its objects hold each other too deeply');
  limit('nodes', ++builder.nodes, LIMITS);
  // What holds a print up while it is made is no part of the design.
  if (object.type === 'support' || object.type === 'solidsupport') return undefined;

  const node = builder.document
    .createNode(object.name)
    .setMatrix(scaled(part.matrix, builder.scale));
  const key = `${path}\n${part.object}`;
  if (!builder.meshes.has(key)) {
    builder.meshes.set(key, await builder.looks(object, model, builder.scale));
  }
  node.setMesh(builder.meshes.get(key) ?? null);
  for (const component of object.components) {
    const child = await place3mf(component, path, builder, depth + 1);
    if (child) node.addChild(child);
  }
  return node;
}

/** The same place when lengths are in metres. */
function scaled(matrix: mat4, scale: number): mat4 {
  return matrix.map((value, at) => (at >= 12 && at < 15 ? value * scale : value)) as mat4;
}
