/// <reference path="./occt-import-js.d.ts" />

import { Problem } from '@cloche/contract/problem';
import { Document, type Material, type Node } from '@gltf-transform/core';
import occt, {
  type OcctColor,
  type OcctMesh,
  type OcctNode,
  type OcctReader,
} from 'occt-import-js';
import { addPrimitive } from '../../mesh/add-primitive.ts';
import { type CoordinateSystem, toGltfSpace } from '../../mesh/coordinate-system.ts';
import { createDefaultMaterial, DEFAULT_COLOR } from '../../mesh/default-material.ts';
import { emptyPartsWarning } from '../../mesh/import-warnings.ts';
import type { ImportedModel } from '../../mesh/imported-model.ts';
import type { MeshGeometry } from '../../mesh/mesh-geometry.ts';

/**
 * Maximum distance between triangles and the true surface: a fraction of the part's size, and an
 * angle between neighbors (radians) that keeps small round parts of large assemblies round.
 *
 * Measured on the library's own test files, triangles for ratio / angle:
 *
 *                  .001/.5   .001/.35   .0005/.5   .0005/.35   .002/.5
 *   as1-oc-214      5040      6532       5180       6508        5156
 *   dm1-id-214      1576      2216       2092       2492        1592
 *   io1-cm-214      3288      3912       4550       5208        2264
 *
 * The angle decides for screws and holes: .5 gives circles of 13 sides, .35 of 18. Time is the same.
 */
const TESSELLATION = {
  linearUnit: 'millimeter',
  linearDeflectionType: 'bounding_box_ratio',
  linearDeflection: 0.0005,
  angularDeflection: 0.35,
} as const;
/** The library converts to millimeters (`linearUnit`); CAD files have Z up. */
const CAD_COORDINATES: CoordinateSystem = { metersPerUnit: 0.001, upAxis: 'z' };

/** Converts CAD surfaces to triangles, with the hierarchy, names and colors of parts and faces. */
export async function convertWithOcct(bytes: Buffer, reader: OcctReader): Promise<ImportedModel> {
  const ignore = () => {};
  const library = await occt({ print: ignore, printErr: ignore });
  const result = library[reader](bytes, TESSELLATION);
  if (!result.success) throw new Error('the CAD library found no shapes in the file.');
  const { meshes } = result;
  const emptyCount = meshes.filter(({ index }) => index.array.length === 0).length;
  if (emptyCount === meshes.length) {
    throw new Problem('design.unreadable', { detail: 'The file has no surfaces or solids.' });
  }
  const document = new Document();
  const scene = document.createScene();
  const root = addNode(result.root, {
    document,
    meshes,
    getMaterial: createMaterialLookup(document),
  });
  // The library adds a root without a name above the top-level parts of the file.
  const isLibraryRoot = root.getName() === '' && root.getMesh() === null;
  for (const node of isLibraryRoot ? root.listChildren() : [root]) scene.addChild(node);
  if (isLibraryRoot) root.dispose();
  const warning = emptyPartsWarning(emptyCount, meshes.length);
  return { document, warnings: warning ? [warning] : [] };
}

type CadBuilder = { document: Document; meshes: readonly OcctMesh[]; getMaterial: GetCadMaterial };

function addNode({ name, meshes, children }: OcctNode, builder: CadBuilder): Node {
  const { document } = builder;
  const node = document.createNode(name);
  const occtMeshes = meshes.flatMap((index) => builder.meshes[index] ?? []);
  const [onlyMesh] = occtMeshes;
  if (onlyMesh && occtMeshes.length === 1) addMesh(node, onlyMesh, builder);
  else
    for (const mesh of occtMeshes)
      node.addChild(addMesh(document.createNode(mesh.name), mesh, builder));
  for (const child of children) node.addChild(addNode(child, builder));
  return node;
}

function addMesh(node: Node, occtMesh: OcctMesh, { document, getMaterial }: CadBuilder): Node {
  const mesh = document.createMesh(occtMesh.name);
  for (const [color, geometry] of splitByColor(occtMesh)) {
    addPrimitive(document, mesh, {
      geometry: toGltfSpace(geometry, CAD_COORDINATES),
      material: getMaterial(color),
    });
  }
  return mesh.listPrimitives().length > 0 ? node.setMesh(mesh) : node;
}

/** Splits a mesh into one geometry per color. A face without a color has the color of its part. */
function splitByColor({
  color,
  brep_faces,
  attributes,
  index,
}: OcctMesh): [OcctColor | undefined, MeshGeometry][] {
  const facesByColor = Map.groupBy(brep_faces, (face) => String(face.color ?? color));
  return [...facesByColor.values()].flatMap((faces): [OcctColor | undefined, MeshGeometry][] => {
    const corners = faces.flatMap(({ first, last }) => index.array.slice(3 * first, 3 * last + 3));
    const newIndices = new Map<number, number>();
    const indices = Uint32Array.from(corners, (corner) => {
      const newIndex = newIndices.get(corner) ?? newIndices.size;
      newIndices.set(corner, newIndex);
      return newIndex;
    });
    if (indices.length === 0) return [];
    const { position, normal } = attributes;
    const geometry: MeshGeometry = {
      indices,
      positions: gatherVectors(position.array, newIndices),
      normals: normal && gatherVectors(normal.array, newIndices),
    };
    return [[faces[0]?.color ?? color, geometry]];
  });
}

function gatherVectors(
  array: readonly number[],
  newIndices: ReadonlyMap<number, number>,
): Float32Array<ArrayBuffer> {
  const gathered = new Float32Array(3 * newIndices.size);
  for (const [from, to] of newIndices) {
    for (let axis = 0; axis < 3; axis++) gathered[3 * to + axis] = array[3 * from + axis] as number;
  }
  return gathered;
}

type GetCadMaterial = (color: OcctColor | undefined) => Material;

/** Returns a function that creates one material per color. The library returns linear colors. */
function createMaterialLookup(document: Document): GetCadMaterial {
  const materials = new Map<string, Material>();
  return (color) => {
    const key = String(color);
    const material = materials.get(key) ?? createDefaultMaterial(document, color ?? DEFAULT_COLOR);
    materials.set(key, material);
    return material;
  };
}
