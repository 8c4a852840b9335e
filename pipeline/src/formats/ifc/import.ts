import type { ProcessingWarning } from '@cloche/contract/design';
import { Problem } from '@cloche/contract/problem';
import { Document, type Material, type Mesh, type mat4, type Node } from '@gltf-transform/core';
import {
  type FlatMesh,
  IFCRELAGGREGATES,
  IFCRELCONTAINEDINSPATIALSTRUCTURE,
  IfcAPI,
  LogLevel,
  type PlacedGeometry,
} from 'web-ifc';
import { addPrimitive } from '../../mesh/add-primitive.ts';
import { toLinearColor } from '../../mesh/color.ts';
import { createDefaultMaterial } from '../../mesh/default-material.ts';
import type { ImportedModel } from '../../mesh/imported-model.ts';
import { collectIfcWarnings } from './warnings.ts';

/** Sides of a full circle; the library's own 12 show on columns and pipes. */
const CIRCLE_SEGMENTS = 24;
/** Farther from the origin, 32-bit floats no longer hold millimetres. */
const MAX_ORIGIN_DISTANCE_M = 10_000;
/** No building has as many levels. */
const MAX_SPATIAL_DEPTH = 100;
/** What holds what: relation, the side that holds, the side that is held. */
const CONTAINMENT_RELATIONS = [
  [IFCRELAGGREGATES, 'RelatingObject', 'RelatedObjects'],
  [IFCRELCONTAINEDINSPATIALSTRUCTURE, 'RelatingStructure', 'RelatedElements'],
] as const;

/**
 * Reads IFC: the shapes of all products with their colours, below the storeys, buildings and sites
 * that hold them. The library itself gives metres with Y up, and leaves out openings and spaces.
 */
export async function importIfc(bytes: Buffer): Promise<ImportedModel> {
  const api = new IfcAPI();
  // One thread: more would need workers, which the child process may not start.
  await api.Init(undefined, true);
  api.SetLogLevel(LogLevel.LOG_LEVEL_OFF);
  const model = api.OpenModel(bytes, { CIRCLE_SEGMENTS, COORDINATE_TO_ORIGIN: false });
  if (model < 0) throw new Error('the IFC library could not open it.');
  const builder = createIfcBuilder(api, model);
  api.StreamAllMeshes(model, (mesh) => builder.add(mesh));
  const { document, warnings } = builder.finish();
  return { document, warnings: [...warnings, ...collectIfcWarnings(api, model, builder.drawn)] };
}

function createIfcBuilder(api: IfcAPI, model: number) {
  const document = new Document();
  const scene = document.createScene();
  const holders = readContainers(api, model);
  const parents = new Set(holders.values());
  const shape = createMeshFactory(document, api, model);
  const nodes = new Map<number, Node>();
  let away: readonly number[] | undefined;

  /** The node of a product, below those of all that hold it. */
  const nodeOf = (id: number): Node => {
    const known = nodes.get(id);
    if (known) return known;
    const node = document.createNode(getProductName(api, model, id));
    nodes.set(id, node);
    const holder = holders.get(id);
    (holder === undefined ? scene : nodeOf(holder)).addChild(node);
    return node;
  };

  const drawn = new Set<number>();
  return {
    drawn,
    add({ expressID, geometries }: FlatMesh) {
      const product = nodeOf(expressID);
      const count = geometries.size();
      for (let at = 0; at < count; at++) {
        const placed = geometries.get(at);
        const mesh = shape(placed);
        if (!mesh) continue;
        drawn.add(expressID);
        const isAlone = count === 1 && !parents.has(expressID);
        const node = isAlone ? product : document.createNode();
        if (!isAlone) product.addChild(node);
        away ??= findOriginOffset(placed.flatTransformation);
        node.setMesh(mesh).setMatrix(subtractOffset(placed.flatTransformation, away));
      }
    },
    finish(): ImportedModel {
      if (document.getRoot().listMeshes().length === 0) {
        throw new Problem('design.unreadable', {
          detail: 'The IFC has no shapes that could be read.',
        });
      }
      return {
        document,
        warnings: away?.some((value) => value !== 0) ? [originMovedWarning(away)] : [],
      };
    },
  };
}

/** For each product the one that holds it. */
function readContainers(api: IfcAPI, model: number): Map<number, number> {
  const holders = new Map<number, number>();
  for (const [relation, one, many] of CONTAINMENT_RELATIONS) {
    const lines = api.GetLineIDsWithType(model, relation);
    for (let at = 0; at < lines.size(); at++) {
      const line = api.GetLine(model, lines.get(at));
      for (const held of line?.[many] ?? []) {
        if (Number.isInteger(held?.value) && Number.isInteger(line[one]?.value))
          holders.set(held.value, line[one].value);
      }
    }
  }
  for (const id of holders.keys()) breakCycle(holders, id);
  return holders;
}

/** A file may say that a thing holds itself, by way of others: the last link is let go. */
function breakCycle(holders: Map<number, number>, id: number): void {
  const seen = new Set([id]);
  for (let at = id; ; ) {
    const next = holders.get(at);
    if (next === undefined) return;
    if (seen.has(next) || seen.size > MAX_SPATIAL_DEPTH) holders.delete(at);
    seen.add(next);
    at = next;
  }
}

/** What a product is called, or else what kind of thing it is. */
function getProductName(api: IfcAPI, model: number, id: number): string {
  try {
    const line = api.GetLine(model, id);
    return String(
      line.Name?.value || line.LongName?.value || api.GetNameFromTypeCode(line.type) || '',
    );
  } catch {
    // A line that cannot be read has a shape all the same.
    return '';
  }
}

/** Makes one mesh of each shape and colour, however often it is placed. */
function createMeshFactory(document: Document, api: IfcAPI, model: number) {
  const materials = new Map<string, Material>();
  const meshes = new Map<string, Mesh | undefined>();
  const paint = ({ x, y, z, w }: PlacedGeometry['color'], key: string) => {
    const material =
      materials.get(key) ?? createDefaultMaterial(document, toLinearColor([x, y, z])).setAlpha(w);
    if (w < 1) material.setAlphaMode('BLEND');
    materials.set(key, material);
    return material;
  };
  return (placed: PlacedGeometry): Mesh | undefined => {
    const { x, y, z, w } = placed.color;
    const colour = [x, y, z, w].join();
    const key = `${placed.geometryExpressID} ${colour}`;
    if (meshes.has(key)) return meshes.get(key);
    const geometry = copyGeometry(api, model, placed.geometryExpressID);
    const mesh = geometry && document.createMesh();
    if (mesh) addPrimitive(document, mesh, { geometry, material: paint(placed.color, colour) });
    meshes.set(key, mesh);
    return mesh;
  };
}

/** Copies a shape out of the library's memory: six numbers a vertex, position and normal. */
function copyGeometry(api: IfcAPI, model: number, id: number) {
  const held = api.GetGeometry(model, id);
  const vertices = api.GetVertexArray(held.GetVertexData(), held.GetVertexDataSize());
  const indices = Uint32Array.from(api.GetIndexArray(held.GetIndexData(), held.GetIndexDataSize()));
  const positions = new Float32Array(vertices.length / 2);
  const normals = new Float32Array(vertices.length / 2);
  for (let from = 0, to = 0; from < vertices.length; from += 6, to += 3) {
    positions.set(vertices.subarray(from, from + 3), to);
    normals.set(vertices.subarray(from + 3, from + 6), to);
  }
  held.delete();
  return indices.length > 0 ? { positions, normals, indices } : undefined;
}

/** How far the first shape is from the origin, in whole metres, if that is too far. */
function findOriginOffset(matrix: readonly number[]): readonly number[] {
  const place = matrix.slice(12, 15);
  return place.some((value) => Math.abs(value) > MAX_ORIGIN_DISTANCE_M)
    ? place.map(Math.round)
    : [0, 0, 0];
}

function subtractOffset(matrix: readonly number[], away: readonly number[]): mat4 {
  return matrix.map((value, at) =>
    at >= 12 && at < 15 ? value - (away[at - 12] as number) : value,
  ) as mat4;
}

function originMovedWarning([x = 0, y = 0, z = 0]: readonly number[]): ProcessingWarning {
  const message = `The model lay ${x}, ${y}, ${z} metres from the origin: it was moved there.`;
  return { code: 'origin.moved', message };
}
