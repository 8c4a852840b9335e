import { Problem } from '@cloche/contract/problem';
import {
  createGrowableIndices,
  type GrowableArray,
  VertexDeduplicator,
} from '../../mesh/growable-array.ts';
import type { MeshGeometry } from '../../mesh/mesh-geometry.ts';
import { triangulatePolygon } from '../../mesh/triangulate.ts';
import { Tokenizer } from '../../validation/tokenizer.ts';
import { type IndexedVertices, NO_INDEX, ObjVertexData } from './vertex-data.ts';

/** The faces of one object that have the same material. */
export type ObjPart = { name: string; material: string; geometry: MeshGeometry };

/** The parsed content of an OBJ. */
export type ParsedObj = {
  parts: ObjPart[];
  /** The MTL files that it refers to. */
  materialLibraries: string[];
  /** The number of points, lines, curves and free-form surfaces. */
  ignoredElementCount: number;
};

const SLASH = 47;
const IGNORED_ELEMENTS = ['l', 'p', 'curv', 'surf'];

/** The faces with the same name and material, while they are read. */
type FaceGroup = IndexedVertices & {
  name: string;
  material: string;
  deduplicator: VertexDeduplicator;
  triangles: GrowableArray<Uint32Array<ArrayBuffer>>;
};

/**
 * Parses the faces of an OBJ: per object, or per group if there are no objects, and per material.
 *
 * @throws {Problem} design.unreadable
 */
export function parseObj(bytes: Buffer): ParsedObj {
  const parser = new ObjParser();
  const tokenizer = new Tokenizer(bytes);
  while (!tokenizer.isAtEnd) parser.readStatement(tokenizer);
  return parser.finish();
}

class ObjParser {
  readonly #vertexData = new ObjVertexData();
  readonly #groups = new Map<string, FaceGroup>();
  readonly #materialLibraries = new Set<string>();
  #object = '';
  #group = '';
  #material = '';
  /** The group of the current object and material, once it has a face. */
  #currentGroup: FaceGroup | undefined;
  #ignoredElementCount = 0;
  /** The indices of the current corner: position, texture coordinate and normal. Reused for speed. */
  readonly #corner = new Uint32Array(3);

  readStatement(tokenizer: Tokenizer): void {
    const keyword = tokenizer.readToken();
    if (keyword === 'v') this.#vertexData.addPosition(tokenizer);
    else if (keyword === 'f') this.#addFace(tokenizer);
    else if (keyword === 'vt') this.#vertexData.addTexCoord(tokenizer);
    else if (keyword === 'vn') this.#vertexData.addNormal(tokenizer);
    else if (IGNORED_ELEMENTS.includes(keyword)) this.#ignoredElementCount++;
    else if (this.#readName(keyword, tokenizer)) return;
    tokenizer.skipLine();
  }

  /** Reads a statement whose argument is the rest of the line; false if it is another statement. */
  #readName(keyword: string, tokenizer: Tokenizer): boolean {
    if (keyword === 'mtllib') {
      this.#materialLibraries.add(tokenizer.readRestOfLine());
      return true;
    }
    if (keyword === 'o') this.#object = tokenizer.readRestOfLine();
    else if (keyword === 'g') this.#group = tokenizer.readRestOfLine();
    else if (keyword === 'usemtl') this.#material = tokenizer.readRestOfLine();
    else return false;
    this.#currentGroup = undefined;
    return true;
  }

  #addFace(tokenizer: Tokenizer): void {
    this.#currentGroup ??= this.#getOrCreateGroup(this.#object || this.#group, this.#material);
    const { triangles, sources } = this.#currentGroup;
    const corners: number[] = [];
    while (tokenizer.hasTokenOnLine()) {
      corners.push(this.#readCorner(tokenizer, this.#currentGroup));
    }
    if (corners.length < 3) return;
    const { positions } = this.#vertexData;
    triangulatePolygon(triangles, corners, {
      at: (index: number) => positions.at(3 * sources.at(3 * Math.floor(index / 3)) + (index % 3)),
    });
  }

  /** Reads a corner such as `7/-1/3` and returns its vertex in the group. */
  #readCorner(tokenizer: Tokenizer, { deduplicator, sources }: FaceGroup): number {
    const { positions, texCoords, normals } = this.#vertexData;
    const position = resolveIndex(tokenizer.readInteger(), positions.length / 3);
    if (position === NO_INDEX) {
      throw new Problem('design.unreadable', {
        detail: 'A face of the OBJ refers to a vertex that does not exist.',
      });
    }
    const readOptionalIndex = (count: number) =>
      tokenizer.skipByte(SLASH) ? resolveIndex(tokenizer.readInteger(), count) : NO_INDEX;
    const corner = this.#corner;
    corner[0] = position;
    corner[1] = readOptionalIndex(texCoords.length / 2);
    corner[2] = readOptionalIndex(normals.length / 3);
    const vertex = deduplicator.getOrAdd(corner);
    if (vertex * 3 === sources.length) for (const source of corner) sources.push(source);
    // Ignore the rest of the token.
    tokenizer.skipToken();
    return vertex;
  }

  #getOrCreateGroup(name: string, material: string): FaceGroup {
    const key = `${name}\n${material}`;
    const group = this.#groups.get(key) ?? {
      name,
      material,
      deduplicator: new VertexDeduplicator(3),
      triangles: createGrowableIndices(),
      sources: createGrowableIndices(),
    };
    this.#groups.set(key, group);
    return group;
  }

  finish(): ParsedObj {
    const parts = [...this.#groups.values()]
      .filter(({ triangles }) => triangles.length > 0)
      .map((group) => ({
        name: group.name,
        material: group.material,
        geometry: {
          ...this.#vertexData.gather(group),
          indices: group.triangles.toTypedArray(),
        },
      }));
    return {
      parts,
      materialLibraries: [...this.#materialLibraries],
      ignoredElementCount: this.#ignoredElementCount,
    };
  }
}

/** Converts an index of an OBJ to one from 0. OBJ counts from 1, or with -1 from the last item. */
function resolveIndex(objIndex: number, count: number): number {
  const index = objIndex > 0 ? objIndex - 1 : count + objIndex;
  const exists = Number.isInteger(index) && objIndex !== 0 && index >= 0 && index < count;
  return exists ? index : NO_INDEX;
}
