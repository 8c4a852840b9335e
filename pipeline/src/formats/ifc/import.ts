import type { ProcessingWarning } from '@cloche/contract/design';
import { Problem } from '@cloche/contract/problem';
import { Document, type Material, type Mesh, type mat4, type Node } from '@gltf-transform/core';
import { type FlatMesh, IfcAPI, LogLevel, type PlacedGeometry } from 'web-ifc';
import { addPrimitive } from '../../mesh/add-primitive.ts';
import { toLinearColor } from '../../mesh/color.ts';
import { createDefaultMaterial } from '../../mesh/default-material.ts';
import type { ImportedModel } from '../../mesh/imported-model.ts';
import { getProductName, readParentIds } from './spatial-structure.ts';
import { collectIfcWarnings } from './warnings.ts';

/** More than the library's default of 12, with which columns and pipes look angular. */
const CIRCLE_SEGMENTS = 24;
/** At a greater distance, 32-bit floats no longer represent millimeters. */
const MAX_ORIGIN_DISTANCE_M = 10_000;

/**
 * Imports an IFC: the shapes of all products with their colors, as children of their storeys, buildings
 * and sites. The library itself converts to meters with Y up, and leaves out openings and spaces.
 */
export async function importIfc(bytes: Buffer): Promise<ImportedModel> {
  const api = new IfcAPI();
  // Single-threaded: the sandbox does not allow worker threads.
  await api.Init(undefined, true);
  api.SetLogLevel(LogLevel.LOG_LEVEL_OFF);
  const model = api.OpenModel(bytes, { CIRCLE_SEGMENTS, COORDINATE_TO_ORIGIN: false });
  if (model < 0) throw new Error('the IFC library could not open the file.');
  const builder = new IfcBuilder(api, model);
  api.StreamAllMeshes(model, (mesh) => builder.add(mesh));
  const { document, warnings } = builder.finish();
  const ignored = collectIfcWarnings(api, model, builder.importedIds);
  return { document, warnings: [...warnings, ...ignored] };
}

/** Builds the document from the meshes that the library streams, one product at a time. */
class IfcBuilder {
  /** Ids of the products that have a mesh. */
  readonly importedIds = new Set<number>();
  readonly #api: IfcAPI;
  readonly #model: number;
  readonly #document = new Document();
  readonly #scene = this.#document.createScene();
  readonly #nodes = new Map<number, Node>();
  readonly #parentIds: ReadonlyMap<number, number>;
  readonly #idsWithChildren: ReadonlySet<number>;
  readonly #getMesh: (placed: PlacedGeometry) => Mesh | undefined;
  #originOffset: readonly number[] | undefined;

  constructor(api: IfcAPI, model: number) {
    this.#api = api;
    this.#model = model;
    this.#parentIds = readParentIds(api, model);
    this.#idsWithChildren = new Set(this.#parentIds.values());
    this.#getMesh = createMeshLookup(this.#document, api, model);
  }

  add({ expressID, geometries }: FlatMesh): void {
    const product = this.#getOrCreateNode(expressID);
    const count = geometries.size();
    const usesProductNode = count === 1 && !this.#idsWithChildren.has(expressID);
    for (let index = 0; index < count; index++) {
      const placed = geometries.get(index);
      const mesh = this.#getMesh(placed);
      if (!mesh) continue;
      this.importedIds.add(expressID);
      const node = usesProductNode ? product : this.#document.createNode();
      if (!usesProductNode) product.addChild(node);
      this.#originOffset ??= findOriginOffset(placed.flatTransformation);
      node.setMesh(mesh).setMatrix(subtractOffset(placed.flatTransformation, this.#originOffset));
    }
  }

  /** @throws {Problem} design.unreadable: no product has a shape */
  finish(): ImportedModel {
    if (this.#document.getRoot().listMeshes().length === 0) {
      const detail = 'The IFC file has no shapes that could be read.';
      throw new Problem('design.unreadable', { detail });
    }
    const offset = this.#originOffset;
    const isMoved = offset?.some((value) => value !== 0);
    return {
      document: this.#document,
      warnings: offset && isMoved ? [originMovedWarning(offset)] : [],
    };
  }

  /** Returns the node of a product. It is created on first use, with its ancestors. */
  #getOrCreateNode(id: number): Node {
    const existing = this.#nodes.get(id);
    if (existing) return existing;
    const node = this.#document.createNode(getProductName(this.#api, this.#model, id));
    this.#nodes.set(id, node);
    const parentId = this.#parentIds.get(id);
    (parentId === undefined ? this.#scene : this.#getOrCreateNode(parentId)).addChild(node);
    return node;
  }
}

/** Returns a function that creates one mesh for each shape and color, however often it is placed. */
function createMeshLookup(document: Document, api: IfcAPI, model: number) {
  const materials = new Map<string, Material>();
  const meshes = new Map<string, Mesh | undefined>();
  const getMaterial = ({ x, y, z, w }: PlacedGeometry['color'], key: string) => {
    const material =
      materials.get(key) ?? createDefaultMaterial(document, toLinearColor([x, y, z])).setAlpha(w);
    if (w < 1) material.setAlphaMode('BLEND');
    materials.set(key, material);
    return material;
  };
  return (placed: PlacedGeometry): Mesh | undefined => {
    const { x, y, z, w } = placed.color;
    const colorKey = [x, y, z, w].join();
    const key = `${placed.geometryExpressID} ${colorKey}`;
    if (meshes.has(key)) return meshes.get(key);
    const geometry = copyGeometry(api, model, placed.geometryExpressID);
    const mesh = geometry && document.createMesh();
    if (mesh)
      addPrimitive(document, mesh, { geometry, material: getMaterial(placed.color, colorKey) });
    meshes.set(key, mesh);
    return mesh;
  };
}

/** Copies a shape out of the library's memory: six numbers per vertex, position and normal. */
function copyGeometry(api: IfcAPI, model: number, id: number) {
  const source = api.GetGeometry(model, id);
  const vertices = api.GetVertexArray(source.GetVertexData(), source.GetVertexDataSize());
  const indices = Uint32Array.from(
    api.GetIndexArray(source.GetIndexData(), source.GetIndexDataSize()),
  );
  const positions = new Float32Array(vertices.length / 2);
  const normals = new Float32Array(vertices.length / 2);
  for (let from = 0, to = 0; from < vertices.length; from += 6, to += 3) {
    positions.set(vertices.subarray(from, from + 3), to);
    normals.set(vertices.subarray(from + 3, from + 6), to);
  }
  source.delete();
  return indices.length > 0 ? { positions, normals, indices } : undefined;
}

/** Returns the position of a shape in whole meters if it is too far from the origin, else zero. */
function findOriginOffset(matrix: readonly number[]): readonly number[] {
  const position = matrix.slice(12, 15);
  return position.some((value) => Math.abs(value) > MAX_ORIGIN_DISTANCE_M)
    ? position.map(Math.round)
    : [0, 0, 0];
}

function subtractOffset(matrix: readonly number[], offset: readonly number[]): mat4 {
  return matrix.map((value, index) =>
    index >= 12 && index < 15 ? value - (offset[index - 12] as number) : value,
  ) as mat4;
}

function originMovedWarning([x = 0, y = 0, z = 0]: readonly number[]): ProcessingWarning {
  const message = `The model was ${x}, ${y}, ${z} meters from the origin and was moved to it.`;
  return { code: 'origin.moved', message };
}
