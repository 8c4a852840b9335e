import { InstancedMesh, type Material, Mesh, type Object3D } from 'three';

/** An object with a geometry: a mesh, lines or points. */
export type DrawnObject = Object3D & { geometry: Mesh['geometry']; material: Material };

/** What draws a part: an object, or one instance of it. */
export type PartDraw = { object: DrawnObject; instance: number | undefined };

/** A part of a model, as the author of its file knows it. */
export type Part = {
  /** Its index in `PartTree.parts`. */
  id: number;
  /** From the file: untrusted text. Empty for an object without a name that is in no other part. */
  name: string;
  children: Part[];
  /** Whether it draws something itself, not only the parts in it. */
  isDrawn: boolean;
  /** Of this part and of the parts in it. */
  triangles: number;
};

/** The parts of a model. Those that draw nothing, such as bones and lights, are left out. */
export type PartTree = {
  roots: readonly Part[];
  /** All parts, each before those in it. The order depends only on the file. */
  parts: readonly Part[];
  /** What draws each part, without the parts in it, by id. */
  draws: readonly (readonly PartDraw[])[];
};

type DraftPart = Part & { draws: PartDraw[]; children: DraftPart[] };

/** three.js names meshes without a name like this. */
const GENERATED_NAME = /^mesh_\d+(_\d+)?$/;

/**
 * Finds the parts of a model: the nodes with names. What a node without a name draws belongs to the part above it. The
 * optimizer merges copies of a mesh into one node with instances; each instance is a part.
 *
 * @param shadow drawn under the model, not a part of it
 */
export function createPartTree(root: Object3D, shadow: Object3D | undefined): PartTree {
  const draft = createDraft('');
  for (const child of root.children) if (child !== shadow) addObject(child, draft, draft);
  dropEmptyParts(draft);
  const parts: DraftPart[] = [];
  setIds(draft.children, parts);
  return {
    roots: draft.children,
    parts,
    // The parts outlive the objects, which are freed with the model.
    draws: parts.map(({ draws }) => draws.splice(0)),
  };
}

function createDraft(name: string): DraftPart {
  return { id: -1, name, children: [], isDrawn: false, triangles: 0, draws: [] };
}

function addObject(object: Object3D, parent: DraftPart, top: DraftPart): void {
  const names = readInstanceNames(object);
  if (names !== undefined) {
    addInstances(object, names, parent, top);
    return;
  }
  const name = readName(object);
  const part = name === '' ? parent : addPart(parent, name);
  if (isDrawn(object)) {
    // Without any name above it, the object is a part of its own.
    const owner = part === top ? addPart(top, readMeshName(object)) : part;
    owner.draws.push({ object, instance: undefined });
  }
  for (const child of object.children) addObject(child, part, top);
}

function addInstances(
  object: Object3D,
  names: readonly unknown[],
  parent: DraftPart,
  top: DraftPart,
): void {
  const meshes = listInstancedMeshes(object) as unknown as DrawnObject[];
  for (const [instance, name] of names.entries()) {
    const isNamed = typeof name === 'string' && name !== '';
    const part = isNamed || parent === top ? addPart(parent, isNamed ? name : '') : parent;
    part.draws.push(...meshes.map((object) => ({ object, instance })));
  }
}

function addPart(parent: DraftPart, name: string): DraftPart {
  const part = createDraft(name);
  parent.children.push(part);
  return part;
}

/** Removes the parts that draw nothing, and counts triangles. Returns whether a part draws something. */
function dropEmptyParts(part: DraftPart): boolean {
  part.children = part.children.filter(dropEmptyParts);
  part.isDrawn = part.draws.length > 0;
  const own = part.draws.reduce((sum, draw) => sum + countTriangles(draw), 0);
  part.triangles = part.children.reduce((sum, { triangles }) => sum + triangles, own);
  return part.isDrawn || part.children.length > 0;
}

function setIds(siblings: readonly DraftPart[], parts: DraftPart[]): void {
  for (const part of siblings) {
    part.id = parts.push(part) - 1;
    setIds(part.children, parts);
  }
}

/** The names that the optimizer has stored, one for each instance. */
function readInstanceNames(object: Object3D): unknown[] | undefined {
  const { names } = object.userData as { names?: unknown };
  const meshes = listInstancedMeshes(object);
  const isComplete =
    Array.isArray(names) &&
    meshes.length > 0 &&
    meshes.every(({ count }) => count === names.length);
  return isComplete ? names : undefined;
}

function listInstancedMeshes(object: Object3D): InstancedMesh[] {
  const objects = object instanceof InstancedMesh ? [object] : object.children;
  return objects.filter((each): each is InstancedMesh => each instanceof InstancedMesh);
}

/** three.js changes the name of a node so that it is unique, and keeps that of the file here. */
function readName({ userData: { name } }: Object3D): string {
  return typeof name === 'string' ? name : '';
}

function readMeshName({ name }: Object3D): string {
  return GENERATED_NAME.test(name) ? '' : name;
}

function isDrawn(object: Object3D): object is DrawnObject {
  return (object as Partial<DrawnObject>).geometry?.attributes.position !== undefined;
}

function countTriangles({ object, instance }: PartDraw): number {
  if (!(object instanceof Mesh)) return 0;
  const { index, attributes } = object.geometry;
  const vertices = (index ?? attributes.position)?.count ?? 0;
  const copies = instance === undefined && object instanceof InstancedMesh ? object.count : 1;
  return Math.floor(vertices / 3) * copies;
}
