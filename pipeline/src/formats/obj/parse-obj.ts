import { Problem } from '@cloche/contract/problem';
import { srgbToLinear } from '../../mesh/color.ts';
import {
  createGrowableFloats,
  createGrowableIndices,
  VertexDeduplicator,
} from '../../mesh/growable-array.ts';
import type { MeshGeometry } from '../../mesh/mesh-geometry.ts';
import { triangulatePolygon } from '../../mesh/triangulate.ts';
import { Tokenizer } from '../../validation/tokenizer.ts';

/** Faces of one object and one material. */
export type ObjPart = { name: string; material: string; geometry: MeshGeometry };

const SLASH = 47;
const NO_INDEX = 0xffffffff;

type VertexData = ReturnType<typeof createVertexData>;
type FaceGroup = {
  name: string;
  material: string;
  vertices: VertexDeduplicator;
  corners: ReturnType<typeof createGrowableIndices>;
  sources: ReturnType<typeof createGrowableIndices>;
};

/** Reads the faces of an OBJ: its objects, or its groups where it has no objects. */
export function parseObj(bytes: Buffer): {
  parts: ObjPart[];
  libraries: string[];
  lines: number;
} {
  const pool = createVertexData();
  const groups = new Map<string, FaceGroup>();
  const libraries = new Set<string>();
  const state = {
    object: '',
    group: '',
    material: '',
    lines: 0,
    current: undefined as FaceGroup | undefined,
  };
  for (const words = new Tokenizer(bytes); !words.isAtEnd; words.skipLine()) {
    const keyword = words.readToken();
    if (keyword === 'v') pool.addPosition(words);
    else if (keyword === 'f') {
      state.current ??= getOrCreateGroup(groups, state.object || state.group, state.material);
      addFace(words, pool, state.current);
    } else if (keyword === 'vt') pool.addCoordinate(words);
    else if (keyword === 'vn') pool.addNormal(words);
    else if (keyword === 'l' || keyword === 'p' || keyword === 'curv' || keyword === 'surf')
      state.lines++;
    else {
      const change = { o: 'object', g: 'group', usemtl: 'material' }[keyword] as
        | 'object'
        | 'group'
        | 'material'
        | undefined;
      if (change) {
        state[change] = readRestKeepingLine(words);
        state.current = undefined;
      } else if (keyword === 'mtllib') libraries.add(readRestKeepingLine(words));
    }
  }
  const parts = [...groups.values()]
    .map((group) => toObjPart(group, pool))
    .filter(({ geometry }) => geometry.indices.length > 0);
  return { parts, libraries: [...libraries], lines: state.lines };
}

/** The rest of the line; the reader stays on it. */
function readRestKeepingLine(words: Tokenizer): string {
  const rest = words.readRestOfLine();
  words.offset--;
  return rest;
}

function getOrCreateGroup(
  groups: Map<string, FaceGroup>,
  name: string,
  material: string,
): FaceGroup {
  const key = `${name}\n${material}`;
  const group = groups.get(key) ?? {
    name,
    material,
    vertices: new VertexDeduplicator(3),
    corners: createGrowableIndices(),
    sources: createGrowableIndices(),
  };
  groups.set(key, group);
  return group;
}

/** What all faces choose from. */
function createVertexData() {
  const [positions, coordinates, normals, colours] = [
    createGrowableFloats(),
    createGrowableFloats(),
    createGrowableFloats(),
    createGrowableFloats(),
  ];
  return {
    positions,
    coordinates,
    normals,
    colours,
    addPosition(words: Tokenizer) {
      const [x, y, z] = [words.readNumber(), words.readNumber(), words.readNumber()];
      if (!Number.isFinite(x + y + z)) {
        throw new Problem('design.unreadable', {
          detail: 'The OBJ has a vertex that is not three numbers.',
        });
      }
      positions.push3(x, y, z);
      const [red, green, blue] = [words.readNumber(), words.readNumber(), words.readNumber()];
      // A fourth number alone is a weight; three more are a colour, which some vertices may lack.
      if (!Number.isFinite(red + green + blue)) return;
      while (colours.length < positions.length - 3) colours.push(1);
      colours.push3(red, green, blue);
    },
    addCoordinate(words: Tokenizer) {
      coordinates.push(words.readNumber() || 0);
      coordinates.push(words.readNumber() || 0);
    },
    addNormal(words: Tokenizer) {
      normals.push3(words.readNumber() || 0, words.readNumber() || 0, words.readNumber() || 0);
    },
  };
}

const row = new Uint32Array(3);

function addFace(
  words: Tokenizer,
  pool: VertexData,
  { vertices, corners, sources }: FaceGroup,
): void {
  const face: number[] = [];
  while (words.hasTokenOnLine()) {
    const position = resolveIndex(words.readInteger(), pool.positions.length / 3);
    if (position === NO_INDEX)
      throw new Problem('design.unreadable', {
        detail: 'A face of the OBJ names a vertex that is not there.',
      });
    row[0] = position;
    row[1] = words.skipByte(SLASH)
      ? resolveIndex(words.readInteger(), pool.coordinates.length / 2)
      : NO_INDEX;
    row[2] = words.skipByte(SLASH)
      ? resolveIndex(words.readInteger(), pool.normals.length / 3)
      : NO_INDEX;
    const vertex = vertices.getOrAdd(row);
    if (vertex * 3 === sources.length) for (const source of row) sources.push(source);
    face.push(vertex);
    // Whatever else the word has is no part of a corner.
    words.skipToken();
  }
  if (face.length < 3) return;
  triangulatePolygon(corners, face, {
    at: (index: number) =>
      pool.positions.at(3 * sources.at(3 * Math.floor(index / 3)) + (index % 3)),
  });
}

/** Counts from 1, or backwards from the last one with -1. */
function resolveIndex(index: number, count: number): number {
  const at = index > 0 ? index - 1 : count + index;
  return Number.isInteger(at) && index !== 0 && at >= 0 && at < count ? at : NO_INDEX;
}

function toObjPart({ name, material, corners, sources }: FaceGroup, pool: VertexData): ObjPart {
  const count = sources.length / 3;
  const take = (
    column: number,
    from: { at(index: number): number; length: number },
    width: number,
  ) => {
    const values = new Float32Array(count * width);
    for (let vertex = 0; vertex < count; vertex++) {
      const source = sources.at(3 * vertex + column);
      if (source === NO_INDEX || (source + 1) * width > from.length) return undefined;
      for (let axis = 0; axis < width; axis++)
        values[vertex * width + axis] = from.at(source * width + axis);
    }
    return values;
  };
  const texCoords = take(1, pool.coordinates, 2);
  // OBJ counts from the bottom of the picture, glTF from its top.
  if (texCoords)
    for (let at = 1; at < texCoords.length; at += 2) texCoords[at] = 1 - (texCoords[at] as number);
  const colours = pool.colours.length > 0 ? take(0, pool.colours, 3) : undefined;
  const geometry: MeshGeometry = {
    positions: take(0, pool.positions, 3) ?? new Float32Array(0),
    indices: corners.toTypedArray(),
    normals: take(2, pool.normals, 3),
    texCoords,
    colors: colours && toVertexColors(colours),
  };
  return { name, material, geometry };
}

function toVertexColors(colours: Float32Array): Uint16Array<ArrayBuffer> {
  const shades = new Uint16Array((colours.length / 3) * 4).fill(65535);
  colours.forEach((value, at) => {
    const within = Math.min(Math.max(value, 0), 1);
    shades[at + Math.floor(at / 3)] = Math.round(65535 * srgbToLinear(within));
  });
  return shades;
}
