import { Problem } from '@cloche/contract/problem';
import type { mat4 } from '@gltf-transform/core';
import { type Growing, growingFloats, growingIndices } from '../grow.ts';
import { readTags, type Tag } from '../xml.ts';

/** One look that triangles can have at a corner: a named material, a colour, or a point of a picture. */
export type Look =
  | { kind: 'material'; name: string; colour: string }
  | { kind: 'colour'; colour: string }
  | { kind: 'picture'; texture: string; u: number; v: number };

export type Component = { path: string | undefined; object: string; matrix: mat4 };

/** Seven numbers for each triangle: three vertices, a group of looks, and a look for each corner. */
export const TRIANGLE = 7;
export const NONE = 0xffffffff;

export type Solid = {
  name: string;
  type: string;
  vertices: Growing<Float32Array>;
  triangles: Growing<Uint32Array>;
  components: Component[];
};

/** A model file of a 3MF. */
export type Model = {
  unit: string;
  objects: Map<string, Solid>;
  /** Groups of looks by their numbers. */
  looks: Map<number, Look[]>;
  textures: Map<string, string>;
  items: Component[];
  /** What stands in the file and is not read. */
  unread: Set<string>;
};

type State = Model & {
  object: Solid | undefined;
  group: Look[];
  texture: string;
  usual: { group: number; look: number };
};
type Handler = (tag: Tag, state: State) => void;

/** What each tag means; a tag that is not here says nothing about how a model looks. */
const HANDLERS: { readonly [tag: string]: Handler } = {
  model: (tag, state) => {
    state.unit = tag.get('unit') ?? 'millimeter';
  },
  basematerials: openGroup,
  colorgroup: openGroup,
  texture2dgroup: (tag, state) => {
    openGroup(tag, state);
    state.texture = tag.get('texid') ?? '';
  },
  base: (tag, { group }) => {
    group.push({
      kind: 'material',
      name: tag.get('name') ?? '',
      colour: tag.get('displaycolor') ?? '',
    });
  },
  color: (tag, { group }) => {
    group.push({ kind: 'colour', colour: tag.get('color') ?? '' });
  },
  tex2coord: (tag, { group, texture }) => {
    group.push({ kind: 'picture', texture, u: number(tag, 'u'), v: number(tag, 'v') });
  },
  texture2d: (tag, { textures }) => {
    textures.set(tag.get('id') ?? '', tag.get('path') ?? '');
  },
  object: (tag, state) => {
    state.usual = { group: index(tag, 'pid', NONE), look: index(tag, 'pindex', 0) };
    state.object = {
      name: tag.get('name') ?? '',
      type: tag.get('type') ?? 'model',
      vertices: growingFloats(),
      triangles: growingIndices(),
      components: [],
    };
    state.objects.set(tag.get('id') ?? '', state.object);
  },
  vertex: (tag, { object }) => {
    object?.vertices.push3(number(tag, 'x'), number(tag, 'y'), number(tag, 'z'));
  },
  triangle: addTriangle,
  component: (tag, { object }) => {
    object?.components.push(componentOf(tag));
  },
  item: (tag, { items }) => {
    items.push(componentOf(tag));
  },
};

const UNREAD = new Set([
  'beamlattice',
  'slicestack',
  'displacementmesh',
  'multiproperties',
  'compositematerials',
  'volumetricstack',
  'implicitfunction',
  'pbspeculardisplayproperties',
  'pbmetallicdisplayproperties',
  'pbspeculartexturedisplayproperties',
  'pbmetallictexturedisplayproperties',
  'translucentdisplayproperties',
]);
/** What slicers paint onto triangles, each in a way of its own. */
const PAINT = ['paint_color', 'mmu_segmentation'];

/** Reads a model file of a 3MF in one pass. */
export function readModel(text: string): Model {
  const state: State = {
    unit: 'millimeter',
    objects: new Map(),
    looks: new Map(),
    textures: new Map(),
    items: [],
    unread: new Set(),
    object: undefined,
    group: [],
    texture: '',
    usual: { group: NONE, look: 0 },
  };
  for (const tag of readTags(text)) {
    if (tag.closes) continue;
    if (Object.hasOwn(HANDLERS, tag.name)) HANDLERS[tag.name]?.(tag, state);
    else if (UNREAD.has(tag.name)) state.unread.add(tag.name);
  }
  return state;
}

function openGroup(tag: Tag, state: State): void {
  state.group = [];
  state.looks.set(index(tag, 'id', NONE), state.group);
}

function addTriangle(tag: Tag, { object, usual, unread }: State): void {
  if (!object) return;
  const paint = PAINT.find((name) => tag.get(name));
  if (paint !== undefined) unread.add(paint);
  const count = object.vertices.length / 3;
  for (const corner of ['v1', 'v2', 'v3']) {
    const vertex = index(tag, corner, NONE);
    if (vertex >= count) throw bad('a triangle names a vertex that is not there');
    object.triangles.push(vertex);
  }
  const group = index(tag, 'pid', usual.group);
  const first = index(tag, 'p1', usual.look);
  object.triangles.push(group);
  object.triangles.push3(first, index(tag, 'p2', first), index(tag, 'p3', first));
}

function componentOf(tag: Tag): Component {
  const matrix = matrixOf(tag.get('transform'));
  return { path: tag.get('path'), object: tag.get('objectid') ?? '', matrix };
}

/** Twelve numbers, a row after the other, for points that stand before the matrix. */
function matrixOf(text: string | undefined): mat4 {
  const values = text?.trim().split(/\s+/).map(Number) ?? [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];
  if (values.length !== 12 || !values.every(Number.isFinite))
    throw bad('a transform is not twelve numbers');
  const row = (at: number) => values.slice(3 * at, 3 * at + 3);
  return [...row(0), 0, ...row(1), 0, ...row(2), 0, ...row(3), 1] as mat4;
}

function number(tag: Tag, attribute: string): number {
  const value = Number(tag.get(attribute) ?? NaN);
  if (!Number.isFinite(value)) throw bad(`the ${attribute} of a ${tag.name} is no number`);
  return value;
}

function index(tag: Tag, attribute: string, usual: number): number {
  const text = tag.get(attribute);
  if (text === undefined) return usual;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value >= NONE)
    throw bad(`the ${attribute} of a ${tag.name} is no index`);
  return value;
}

export function bad(what: string): Problem {
  return new Problem('design.unreadable', { detail: `The 3MF cannot be read: ${what}.` });
}
