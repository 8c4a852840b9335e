import { Problem } from '@cloche/contract/problem';
import type { Geometry } from './geometry.ts';
import { growingFloats, growingIndices, RowIndex } from './grow.ts';
import { addPolygon } from './polygon.ts';
import { toLinear } from './scene.ts';
import { Words } from './words.ts';

/** Faces of one object and one material. */
export type ObjPart = { name: string; material: string; geometry: Geometry };

const SLASH = 47;
const NONE = 0xffffffff;

type Pool = ReturnType<typeof openPool>;
type Group = {
  name: string;
  material: string;
  rows: RowIndex;
  corners: ReturnType<typeof growingIndices>;
  sources: ReturnType<typeof growingIndices>;
};

/** Reads the faces of an OBJ: its objects, or its groups where it has no objects. */
export function readObjParts(bytes: Buffer): {
  parts: ObjPart[];
  libraries: string[];
  lines: number;
} {
  const pool = openPool();
  const groups = new Map<string, Group>();
  const libraries = new Set<string>();
  const state = {
    object: '',
    group: '',
    material: '',
    lines: 0,
    current: undefined as Group | undefined,
  };
  for (const words = new Words(bytes); !words.done; words.nextLine()) {
    const keyword = words.word();
    if (keyword === 'v') pool.addPosition(words);
    else if (keyword === 'f') {
      state.current ??= open(groups, state.object || state.group, state.material);
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
        state[change] = lineOf(words);
        state.current = undefined;
      } else if (keyword === 'mtllib') libraries.add(lineOf(words));
    }
  }
  const parts = [...groups.values()]
    .map((group) => finish(group, pool))
    .filter(({ geometry }) => geometry.indices.length > 0);
  return { parts, libraries: [...libraries], lines: state.lines };
}

/** The rest of the line; the reader stays on it. */
function lineOf(words: Words): string {
  const rest = words.rest();
  words.at--;
  return rest;
}

function open(groups: Map<string, Group>, name: string, material: string): Group {
  const key = `${name}\n${material}`;
  const group = groups.get(key) ?? {
    name,
    material,
    rows: new RowIndex(3),
    corners: growingIndices(),
    sources: growingIndices(),
  };
  groups.set(key, group);
  return group;
}

/** What all faces choose from. */
function openPool() {
  const [positions, coordinates, normals, colours] = [
    growingFloats(),
    growingFloats(),
    growingFloats(),
    growingFloats(),
  ];
  return {
    positions,
    coordinates,
    normals,
    colours,
    addPosition(words: Words) {
      const [x, y, z] = [words.number(), words.number(), words.number()];
      if (!Number.isFinite(x + y + z)) {
        throw new Problem('design.unreadable', {
          detail: 'The OBJ has a vertex that is not three numbers.',
        });
      }
      positions.push3(x, y, z);
      const [red, green, blue] = [words.number(), words.number(), words.number()];
      // A fourth number alone is a weight; three more are a colour, which some vertices may lack.
      if (!Number.isFinite(red + green + blue)) return;
      while (colours.length < positions.length - 3) colours.push(1);
      colours.push3(red, green, blue);
    },
    addCoordinate(words: Words) {
      coordinates.push(words.number() || 0);
      coordinates.push(words.number() || 0);
    },
    addNormal(words: Words) {
      normals.push3(words.number() || 0, words.number() || 0, words.number() || 0);
    },
  };
}

const row = new Uint32Array(3);

function addFace(words: Words, pool: Pool, { rows, corners, sources }: Group): void {
  const face: number[] = [];
  while (words.more()) {
    const position = resolve(words.integer(), pool.positions.length / 3);
    if (position === NONE)
      throw new Problem('design.unreadable', {
        detail: 'A face of the OBJ names a vertex that is not there.',
      });
    row[0] = position;
    row[1] = words.skip(SLASH) ? resolve(words.integer(), pool.coordinates.length / 2) : NONE;
    row[2] = words.skip(SLASH) ? resolve(words.integer(), pool.normals.length / 3) : NONE;
    const vertex = rows.add(row);
    if (vertex * 3 === sources.length) for (const source of row) sources.push(source);
    face.push(vertex);
    // Whatever else the word has is no part of a corner.
    words.leaveWord();
  }
  if (face.length < 3) return;
  addPolygon(corners, face, {
    at: (index: number) =>
      pool.positions.at(3 * sources.at(3 * Math.floor(index / 3)) + (index % 3)),
  });
}

/** Counts from 1, or backwards from the last one with -1. */
function resolve(index: number, count: number): number {
  const at = index > 0 ? index - 1 : count + index;
  return Number.isInteger(at) && index !== 0 && at >= 0 && at < count ? at : NONE;
}

function finish({ name, material, corners, sources }: Group, pool: Pool): ObjPart {
  const count = sources.length / 3;
  const take = (
    column: number,
    from: { at(index: number): number; length: number },
    width: number,
  ) => {
    const values = new Float32Array(count * width);
    for (let vertex = 0; vertex < count; vertex++) {
      const source = sources.at(3 * vertex + column);
      if (source === NONE || (source + 1) * width > from.length) return undefined;
      for (let axis = 0; axis < width; axis++)
        values[vertex * width + axis] = from.at(source * width + axis);
    }
    return values;
  };
  const coordinates = take(1, pool.coordinates, 2);
  // OBJ counts from the bottom of the picture, glTF from its top.
  if (coordinates)
    for (let at = 1; at < coordinates.length; at += 2)
      coordinates[at] = 1 - (coordinates[at] as number);
  const colours = pool.colours.length > 0 ? take(0, pool.colours, 3) : undefined;
  const geometry: Geometry = {
    positions: take(0, pool.positions, 3) ?? new Float32Array(0),
    indices: corners.done(),
    normals: take(2, pool.normals, 3),
    coordinates,
    colours: colours && shaded(colours),
  };
  return { name, material, geometry };
}

function shaded(colours: Float32Array): Uint16Array<ArrayBuffer> {
  const shades = new Uint16Array((colours.length / 3) * 4).fill(65535);
  colours.forEach((value, at) => {
    const within = Math.min(Math.max(value, 0), 1);
    shades[at + Math.floor(at / 3)] = Math.round(65535 * toLinear(within));
  });
  return shades;
}
