import { Problem } from '@cloche/contract/problem';
import type { mat4 } from '@gltf-transform/core';
import {
  createGrowableFloats,
  createGrowableIndices,
  type GrowableArray,
} from '../../mesh/growable-array.ts';
import { readXmlTags, type XmlTag } from '../../validation/xml-tag-reader.ts';

/** One look that triangles can have at a corner: a named material, a colour, or a point of a picture. */
export type TriangleProperty =
  | { kind: 'material'; name: string; color: string }
  | { kind: 'colour'; colour: string }
  | { kind: 'picture'; texture: string; u: number; v: number };

export type ObjectReference = { path: string | undefined; objectId: string; matrix: mat4 };

/** Seven numbers for each triangle: three vertices, a group of looks, and a look for each corner. */
export const NUMBERS_PER_TRIANGLE = 7;
export const NO_PROPERTY = 0xffffffff;

export type ModelObject = {
  name: string;
  type: string;
  vertices: GrowableArray<Float32Array>;
  triangles: GrowableArray<Uint32Array>;
  components: ObjectReference[];
};

/** A model file of a 3MF. */
export type ModelPart = {
  unit: string;
  objects: Map<string, ModelObject>;
  /** Groups of looks by their numbers. */
  propertyGroups: Map<number, TriangleProperty[]>;
  textures: Map<string, string>;
  buildItems: ObjectReference[];
  /** What stands in the file and is not read. */
  unsupported: Set<string>;
};

type ParserState = ModelPart & {
  object: ModelObject | undefined;
  group: TriangleProperty[];
  texture: string;
  defaultProperty: { group: number; index: number };
};
type TagHandler = (tag: XmlTag, state: ParserState) => void;

/** What each tag means; a tag that is not here says nothing about how a model looks. */
const TAG_HANDLERS: { readonly [tag: string]: TagHandler } = {
  model: (tag, state) => {
    state.unit = tag.getAttribute('unit') ?? 'millimeter';
  },
  basematerials: startPropertyGroup,
  colorgroup: startPropertyGroup,
  texture2dgroup: (tag, state) => {
    startPropertyGroup(tag, state);
    state.texture = tag.getAttribute('texid') ?? '';
  },
  base: (tag, { group }) => {
    group.push({
      kind: 'material',
      name: tag.getAttribute('name') ?? '',
      color: tag.getAttribute('displaycolor') ?? '',
    });
  },
  color: (tag, { group }) => {
    group.push({ kind: 'colour', colour: tag.getAttribute('color') ?? '' });
  },
  tex2coord: (tag, { group, texture }) => {
    group.push({ kind: 'picture', texture, u: parseNumber(tag, 'u'), v: parseNumber(tag, 'v') });
  },
  texture2d: (tag, { textures }) => {
    textures.set(tag.getAttribute('id') ?? '', tag.getAttribute('path') ?? '');
  },
  object: (tag, state) => {
    state.defaultProperty = {
      group: parseIndex(tag, 'pid', NO_PROPERTY),
      index: parseIndex(tag, 'pindex', 0),
    };
    state.object = {
      name: tag.getAttribute('name') ?? '',
      type: tag.getAttribute('type') ?? 'model',
      vertices: createGrowableFloats(),
      triangles: createGrowableIndices(),
      components: [],
    };
    state.objects.set(tag.getAttribute('id') ?? '', state.object);
  },
  vertex: (tag, { object }) => {
    object?.vertices.push3(parseNumber(tag, 'x'), parseNumber(tag, 'y'), parseNumber(tag, 'z'));
  },
  triangle: addTriangle,
  component: (tag, { object }) => {
    object?.components.push(parseObjectReference(tag));
  },
  item: (tag, { buildItems }) => {
    buildItems.push(parseObjectReference(tag));
  },
};

const UNSUPPORTED_TAGS = new Set([
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
const SLICER_PAINT_ATTRIBUTES = ['paint_color', 'mmu_segmentation'];

/** Reads a model file of a 3MF in one pass. */
export function parseModelPart(text: string): ModelPart {
  const state: ParserState = {
    unit: 'millimeter',
    objects: new Map(),
    propertyGroups: new Map(),
    textures: new Map(),
    buildItems: [],
    unsupported: new Set(),
    object: undefined,
    group: [],
    texture: '',
    defaultProperty: { group: NO_PROPERTY, index: 0 },
  };
  for (const tag of readXmlTags(text)) {
    if (tag.isEndTag) continue;
    if (Object.hasOwn(TAG_HANDLERS, tag.name)) TAG_HANDLERS[tag.name]?.(tag, state);
    else if (UNSUPPORTED_TAGS.has(tag.name)) state.unsupported.add(tag.name);
  }
  return state;
}

function startPropertyGroup(tag: XmlTag, state: ParserState): void {
  state.group = [];
  state.propertyGroups.set(parseIndex(tag, 'id', NO_PROPERTY), state.group);
}

function addTriangle(tag: XmlTag, { object, defaultProperty, unsupported }: ParserState): void {
  if (!object) return;
  const paint = SLICER_PAINT_ATTRIBUTES.find((name) => tag.getAttribute(name));
  if (paint !== undefined) unsupported.add(paint);
  const count = object.vertices.length / 3;
  for (const corner of ['v1', 'v2', 'v3']) {
    const vertex = parseIndex(tag, corner, NO_PROPERTY);
    if (vertex >= count) throw threeMfError('a triangle names a vertex that is not there');
    object.triangles.push(vertex);
  }
  const group = parseIndex(tag, 'pid', defaultProperty.group);
  const first = parseIndex(tag, 'p1', defaultProperty.index);
  object.triangles.push(group);
  object.triangles.push3(first, parseIndex(tag, 'p2', first), parseIndex(tag, 'p3', first));
}

function parseObjectReference(tag: XmlTag): ObjectReference {
  const matrix = parseTransform(tag.getAttribute('transform'));
  return { path: tag.getAttribute('path'), objectId: tag.getAttribute('objectid') ?? '', matrix };
}

/** Twelve numbers, a row after the other, for points that stand before the matrix. */
function parseTransform(text: string | undefined): mat4 {
  const values = text?.trim().split(/\s+/).map(Number) ?? [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];
  if (values.length !== 12 || !values.every(Number.isFinite))
    throw threeMfError('a transform is not twelve numbers');
  const row = (at: number) => values.slice(3 * at, 3 * at + 3);
  return [...row(0), 0, ...row(1), 0, ...row(2), 0, ...row(3), 1] as mat4;
}

function parseNumber(tag: XmlTag, attribute: string): number {
  const value = Number(tag.getAttribute(attribute) ?? NaN);
  if (!Number.isFinite(value)) throw threeMfError(`the ${attribute} of a ${tag.name} is no number`);
  return value;
}

function parseIndex(tag: XmlTag, attribute: string, usual: number): number {
  const text = tag.getAttribute(attribute);
  if (text === undefined) return usual;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value >= NO_PROPERTY)
    throw threeMfError(`the ${attribute} of a ${tag.name} is no index`);
  return value;
}

export function threeMfError(what: string): Problem {
  return new Problem('design.unreadable', { detail: `The 3MF cannot be read: ${what}.` });
}
