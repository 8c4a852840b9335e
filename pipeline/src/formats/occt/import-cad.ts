import type { ProcessingWarning } from '@cloche/contract/design';
import { Problem } from '@cloche/contract/problem';
import { Document, type Material, type Node } from '@gltf-transform/core';
import occt, {
  type OcctColour,
  type OcctMesh,
  type OcctNode,
  type OcctReader,
} from 'occt-import-js';
import { addPrimitive } from '../../mesh/add-primitive.ts';
import {
  type CoordinateSystem,
  toGltfSpace,
  unitsAssumedWarning,
} from '../../mesh/coordinate-system.ts';
import { createDefaultMaterial, DEFAULT_COLOR } from '../../mesh/default-material.ts';
import type { ImportedModel } from '../../mesh/imported-model.ts';
import type { MeshGeometry } from '../../mesh/mesh-geometry.ts';
import { collectIgesWarnings, collectStepWarnings } from '../step/warnings.ts';

/**
 * How far triangles may be from the true surface: a share of the part's size, and an angle between
 * neighbours (radians) that keeps small round parts of large assemblies round.
 *
 * Tried on the library's own test files, triangles for ratio / angle:
 *
 *                  .001/.5   .001/.35   .0005/.5   .0005/.35   .002/.5
 *   as1-oc-214      5040      6532       5180       6508        5156
 *   dm1-id-214      1576      2216       2092       2492        1592
 *   io1-cm-214      3288      3912       4550       5208        2264
 *
 * The angle decides on screws and holes: .5 leaves circles of 13 sides, .35 of 18. Time is the same.
 */
const TESSELLATION = {
  linearUnit: 'millimeter',
  linearDeflectionType: 'bounding_box_ratio',
  linearDeflection: 0.0005,
  angularDeflection: 0.35,
} as const;
/** The library is asked for millimetres; CAD has Z up. */
const CAD_COORDINATES: CoordinateSystem = { metersPerUnit: 0.001, upAxis: 'z' };

export async function importStep(bytes: Buffer): Promise<ImportedModel> {
  const { document, warnings } = await importWithOcct(bytes, 'ReadStepFile');
  return { document, warnings: [...warnings, ...collectStepWarnings(bytes)] };
}

export async function importIges(bytes: Buffer): Promise<ImportedModel> {
  const { document, warnings } = await importWithOcct(bytes, 'ReadIgesFile');
  return { document, warnings: [...warnings, ...collectIgesWarnings(bytes)] };
}

/** Reads OpenCASCADE's own format, which has neither units nor names nor colours. */
export async function importBrep(bytes: Buffer): Promise<ImportedModel> {
  const { document, warnings } = await importWithOcct(bytes, 'ReadBrepFile');
  return { document, warnings: [unitsAssumedWarning('BREP', 'millimeters', 'Z'), ...warnings] };
}

/** Reads surfaces of CAD into triangles, with the hierarchy, names and colours of parts and faces. */
async function importWithOcct(bytes: Buffer, reader: OcctReader): Promise<ImportedModel> {
  const quiet = () => {};
  const library = await occt({ print: quiet, printErr: quiet });
  const result = library[reader](bytes, TESSELLATION);
  if (!result.success) throw new Error('the CAD library found no shapes in it.');
  if (!result.meshes.some(({ index }) => index.array.length > 0)) {
    throw new Problem('design.unreadable', { detail: 'The file has no surfaces or solids.' });
  }
  const document = new Document();
  const scene = document.createScene();
  const builder = { document, meshes: result.meshes, getMaterial: createMaterialLookup(document) };
  const root = addNode(result.root, builder);
  // The root is the library's; what the file calls its top is below.
  const isMere = root.getName() === '' && root.getMesh() === null;
  for (const node of isMere ? root.listChildren() : [root]) scene.addChild(node);
  if (isMere) root.dispose();
  return { document, warnings: collectEmptyPartWarnings(result.meshes) };
}

type CadBuilder = { document: Document; meshes: readonly OcctMesh[]; getMaterial: GetCadMaterial };

function addNode({ name, meshes, children }: OcctNode, builder: CadBuilder): Node {
  const { document } = builder;
  const node = document.createNode(name);
  const drawn = meshes.flatMap((at) => builder.meshes[at] ?? []);
  const [only] = drawn;
  if (only && drawn.length === 1) addMesh(node, only, builder);
  else
    for (const mesh of drawn) node.addChild(addMesh(document.createNode(mesh.name), mesh, builder));
  for (const child of children) node.addChild(addNode(child, builder));
  return node;
}

function addMesh(node: Node, mesh: OcctMesh, { document, getMaterial }: CadBuilder): Node {
  const made = document.createMesh(mesh.name);
  for (const [colour, geometry] of splitByColour(mesh)) {
    addPrimitive(document, made, {
      geometry: toGltfSpace(geometry, CAD_COORDINATES),
      material: getMaterial(colour),
    });
  }
  return made.listPrimitives().length > 0 ? node.setMesh(made) : node;
}

/** The triangles of each colour; a face without one has its part's. */
function splitByColour({
  color,
  brep_faces,
  attributes,
  index,
}: OcctMesh): [OcctColour | undefined, MeshGeometry][] {
  const byColour = Map.groupBy(brep_faces, (face) => String(face.color ?? color));
  return [...byColour.values()].flatMap((faces): [OcctColour | undefined, MeshGeometry][] => {
    const corners = faces.flatMap(({ first, last }) => index.array.slice(3 * first, 3 * last + 3));
    const numbers = new Map<number, number>();
    const indices = Uint32Array.from(corners, (corner) => {
      const number = numbers.get(corner) ?? numbers.size;
      numbers.set(corner, number);
      return number;
    });
    if (indices.length === 0) return [];
    const { position, normal } = attributes;
    const geometry: MeshGeometry = {
      indices,
      positions: gatherVectors(position.array, numbers),
      normals: normal && gatherVectors(normal.array, numbers),
    };
    return [[faces[0]?.color ?? color, geometry]];
  });
}

function gatherVectors(
  array: readonly number[],
  numbers: ReadonlyMap<number, number>,
): Float32Array<ArrayBuffer> {
  const picked = new Float32Array(3 * numbers.size);
  for (const [from, to] of numbers) {
    for (let axis = 0; axis < 3; axis++) picked[3 * to + axis] = array[3 * from + axis] as number;
  }
  return picked;
}

type GetCadMaterial = (colour: OcctColour | undefined) => Material;

/** One material for each colour. The library has made colours linear already. */
function createMaterialLookup(document: Document): GetCadMaterial {
  const known = new Map<string, Material>();
  return (colour) => {
    const key = String(colour);
    const material = known.get(key) ?? createDefaultMaterial(document, colour ?? DEFAULT_COLOR);
    known.set(key, material);
    return material;
  };
}

function collectEmptyPartWarnings(meshes: readonly OcctMesh[]): ProcessingWarning[] {
  const empty = meshes.filter(({ index }) => index.array.length === 0).length;
  if (empty === 0) return [];
  const message = `${empty} of the ${meshes.length} parts could not be made into triangles.`;
  return [{ code: 'part.empty', message }];
}
