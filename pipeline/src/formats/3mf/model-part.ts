import type { mat4 } from '@gltf-transform/core';
import {
  createGrowableFloats,
  createGrowableIndices,
  type GrowableArray,
} from '../../mesh/growable-array.ts';
import { readXmlTags, type XmlTag } from '../../validation/xml.ts';
import { throw3mfError } from './error.ts';

/** A property of a triangle's corner: a base material, a color, or a texture coordinate. */
export type TriangleProperty =
  | { kind: 'material'; name: string; color: string }
  | { kind: 'color'; color: string }
  | { kind: 'texture'; textureId: string; u: number; v: number };

/** A build item or component: an object, its transform, and the path of its part if it is another one. */
export type ObjectReference = { path: string | undefined; objectId: string; matrix: mat4 };

/** A triangle is stored as three vertices, a property group, and a property for each corner. */
export const NUMBERS_PER_TRIANGLE = 7;
/** Stands for a property group or property that a triangle does not have. */
export const NO_PROPERTY = 0xffffffff;

/** An object: a mesh, components, or both. */
export type ModelObject = {
  name: string;
  type: string;
  vertices: GrowableArray<Float32Array>;
  triangles: GrowableArray<Uint32Array>;
  components: ObjectReference[];
};

/** The content of a model part: one XML file of the package. */
export type ModelPart = {
  unit: string;
  objects: Map<string, ModelObject>;
  /** Property groups by their ids. */
  propertyGroups: Map<number, TriangleProperty[]>;
  /** Paths of textures by their ids. */
  textures: Map<string, string>;
  buildItems: ObjectReference[];
  /** The names of tags and attributes that affect how the model looks, but are ignored. */
  unsupported: Set<string>;
};

type ParserState = ModelPart & {
  object: ModelObject | undefined;
  propertyGroup: TriangleProperty[];
  textureId: string;
  defaultProperty: { group: number; index: number };
};
type TagHandler = (tag: XmlTag, state: ParserState) => void;

/** The handlers of the tags that are read. Other tags do not affect how a model looks. */
const TAG_HANDLERS: { readonly [tag: string]: TagHandler } = {
  model: (tag, state) => {
    state.unit = tag.getAttribute('unit') ?? 'millimeter';
  },
  basematerials: startPropertyGroup,
  colorgroup: startPropertyGroup,
  texture2dgroup: (tag, state) => {
    startPropertyGroup(tag, state);
    state.textureId = tag.getAttribute('texid') ?? '';
  },
  base: (tag, { propertyGroup }) => {
    propertyGroup.push({
      kind: 'material',
      name: tag.getAttribute('name') ?? '',
      color: tag.getAttribute('displaycolor') ?? '',
    });
  },
  color: (tag, { propertyGroup }) => {
    propertyGroup.push({ kind: 'color', color: tag.getAttribute('color') ?? '' });
  },
  tex2coord: (tag, { propertyGroup, textureId }) => {
    const [u, v] = [parseNumber(tag, 'u'), parseNumber(tag, 'v')];
    propertyGroup.push({ kind: 'texture', textureId, u, v });
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
/** The attributes in which slicers store painted colors, each in its own encoding. */
const SLICER_PAINT_ATTRIBUTES = ['paint_color', 'mmu_segmentation'];

/** Parses the XML of a model part in one pass. */
export function parseModelPart(text: string): ModelPart {
  const state: ParserState = {
    unit: 'millimeter',
    objects: new Map(),
    propertyGroups: new Map(),
    textures: new Map(),
    buildItems: [],
    unsupported: new Set(),
    object: undefined,
    propertyGroup: [],
    textureId: '',
    defaultProperty: { group: NO_PROPERTY, index: 0 },
  };
  for (const tag of readXmlTags(text)) {
    if (tag.isEndTag) continue;
    if (Object.hasOwn(TAG_HANDLERS, tag.localName)) TAG_HANDLERS[tag.localName]?.(tag, state);
    else if (UNSUPPORTED_TAGS.has(tag.localName)) state.unsupported.add(tag.localName);
  }
  return state;
}

function startPropertyGroup(tag: XmlTag, state: ParserState): void {
  state.propertyGroup = [];
  state.propertyGroups.set(parseIndex(tag, 'id', NO_PROPERTY), state.propertyGroup);
}

function addTriangle(tag: XmlTag, { object, defaultProperty, unsupported }: ParserState): void {
  if (!object) return;
  const paint = SLICER_PAINT_ATTRIBUTES.find((name) => tag.getAttribute(name));
  if (paint !== undefined) unsupported.add(paint);
  const vertexCount = object.vertices.length / 3;
  for (const attribute of ['v1', 'v2', 'v3']) {
    const vertex = parseIndex(tag, attribute, NO_PROPERTY);
    if (vertex >= vertexCount) throw3mfError('a triangle refers to a vertex that does not exist');
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

/** Parses a transform: four rows of three numbers, to be multiplied with row vectors. */
function parseTransform(text: string | undefined): mat4 {
  const values = text?.trim().split(/\s+/).map(Number) ?? [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];
  if (values.length !== 12 || !values.every(Number.isFinite)) {
    throw3mfError('a transform is not twelve numbers');
  }
  const row = (index: number) => values.slice(3 * index, 3 * index + 3);
  return [...row(0), 0, ...row(1), 0, ...row(2), 0, ...row(3), 1] as mat4;
}

function parseNumber(tag: XmlTag, attribute: string): number {
  const value = Number(tag.getAttribute(attribute) ?? NaN);
  if (!Number.isFinite(value)) {
    throw3mfError(`the attribute ${attribute} of a ${tag.localName} is not a number`);
  }
  return value;
}

function parseIndex(tag: XmlTag, attribute: string, defaultIndex: number): number {
  const text = tag.getAttribute(attribute);
  if (text === undefined) return defaultIndex;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value >= NO_PROPERTY) {
    throw3mfError(`the attribute ${attribute} of a ${tag.localName} is not an index`);
  }
  return value;
}
