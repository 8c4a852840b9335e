import { Problem } from '@cloche/contract/problem';
import { toVertexColors } from '../../mesh/color.ts';
import { createGrowableFloats, type GrowableArray } from '../../mesh/growable-array.ts';
import type { MeshGeometry } from '../../mesh/mesh-geometry.ts';
import type { Tokenizer } from '../../validation/tokenizer.ts';

/** Stands for the index of a texture coordinate or normal that a corner does not have. */
export const NO_INDEX = 0xffffffff;

/** Three indices per vertex: of its position, texture coordinate and normal. */
export type IndexedVertices = { sources: GrowableArray<Uint32Array> };

/** The lists of positions, texture coordinates, normals and colors that the faces refer to. */
export class ObjVertexData {
  readonly positions = createGrowableFloats();
  readonly texCoords = createGrowableFloats();
  readonly normals = createGrowableFloats();
  /** sRGB colors of the positions. Shorter than the list of positions if the last have none. */
  readonly #colors = createGrowableFloats();

  addPosition(tokenizer: Tokenizer): void {
    const [x, y, z] = [tokenizer.readNumber(), tokenizer.readNumber(), tokenizer.readNumber()];
    if (!Number.isFinite(x + y + z)) {
      throw new Problem('design.unreadable', {
        detail: 'The OBJ has a vertex whose coordinates are not three numbers.',
      });
    }
    this.positions.push3(x, y, z);
    const red = tokenizer.readNumber();
    const green = tokenizer.readNumber();
    const blue = tokenizer.readNumber();
    // Three more numbers are a color. A single fourth number is a weight, which is ignored.
    if (!Number.isFinite(red + green + blue)) return;
    // Positions before this one without a color are white.
    while (this.#colors.length < this.positions.length - 3) this.#colors.push(1);
    this.#colors.push3(red, green, blue);
  }

  addTexCoord(tokenizer: Tokenizer): void {
    this.texCoords.push(tokenizer.readNumber() || 0);
    this.texCoords.push(tokenizer.readNumber() || 0);
  }

  addNormal(tokenizer: Tokenizer): void {
    this.normals.push3(
      tokenizer.readNumber() || 0,
      tokenizer.readNumber() || 0,
      tokenizer.readNumber() || 0,
    );
  }

  /**
   * Copies the attributes of these vertices. An attribute is left out if any vertex does not have it. Of texture coordinates, only
   * some may be missing: a few faces without them do not cost the others their texture.
   */
  gather({ sources }: IndexedVertices): Omit<MeshGeometry, 'indices'> {
    const texCoords = gatherAttribute(sources, 1, { values: this.texCoords, width: 2 }, 'some');
    // In OBJ v is 0 at the bottom of the image, in glTF at the top.
    for (let index = 1; texCoords && index < texCoords.length; index += 2) {
      texCoords[index] = 1 - (texCoords[index] as number);
    }
    const colors =
      this.#colors.length > 0
        ? gatherAttribute(sources, 0, { values: this.#colors, width: 3 })
        : undefined;
    return {
      positions:
        gatherAttribute(sources, 0, { values: this.positions, width: 3 }) ?? new Float32Array(0),
      normals: gatherAttribute(sources, 2, { values: this.normals, width: 3 }),
      texCoords,
      colors: colors && toVertexColors(colors),
    };
  }
}

type Attribute = { values: GrowableArray<Float32Array>; width: number };

function gatherAttribute(
  sources: GrowableArray<Uint32Array>,
  column: number,
  { values, width }: Attribute,
  needed: 'all' | 'some' = 'all',
): Float32Array<ArrayBuffer> | undefined {
  const count = sources.length / 3;
  const gathered = new Float32Array(count * width);
  let missing = 0;
  for (let vertex = 0; vertex < count; vertex++) {
    const source = sources.at(3 * vertex + column);
    if (source === NO_INDEX || (source + 1) * width > values.length) {
      missing += 1;
      if (needed === 'all' || missing === count) return undefined;
      continue;
    }
    for (let axis = 0; axis < width; axis++) {
      gathered[vertex * width + axis] = values.at(source * width + axis);
    }
  }
  return gathered;
}
