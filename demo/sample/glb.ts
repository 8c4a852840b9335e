import { at, type Shape } from './geometry.ts';
import type { Material } from './materials.ts';
import { tangents } from './tangent.ts';
import type { Vec2 } from './vector.ts';

/** A named thing in the scene: a shape with its material, or a group of such things. */
export type Part =
  | { name: string; shape: Shape; material: Material }
  | { name: string; parts: readonly Part[] };

const ARRAY_BUFFER = 34962;
const ELEMENT_ARRAY_BUFFER = 34963;
const UNSIGNED_BYTE = 5121;
const UNSIGNED_SHORT = 5123;
const FLOAT = 5126;
const REPEAT_AND_MIPMAPS = { magFilter: 9729, minFilter: 9987, wrapS: 10497, wrapT: 10497 };

/** Writes a scene of one root as binary glTF 2.0. */
export function writeGlb(root: Part): Buffer {
  const writer = new GlbWriter();
  writer.addNode(root);
  return writer.finish();
}

class GlbWriter {
  readonly #chunks: Buffer[] = [];
  readonly #bufferViews: { buffer: 0; byteOffset: number; byteLength: number }[] = [];
  readonly #accessors: object[] = [];
  readonly #meshes: object[] = [];
  readonly #nodes: object[] = [];
  readonly #images: object[] = [];
  readonly #materials: object[] = [];
  readonly #materialIndices = new Map<Material, number>();
  readonly #textureIndices = new Map<Buffer, number>();
  #byteLength = 0;

  addNode(part: Part): number {
    const index = this.#nodes.push({}) - 1;
    this.#nodes[index] =
      'parts' in part
        ? { name: part.name, children: part.parts.map((child) => this.addNode(child)) }
        : { name: part.name, mesh: this.#addMesh(part.name, part.shape, part.material) };
    return index;
  }

  finish(): Buffer {
    const json = Buffer.from(
      JSON.stringify({
        asset: { version: '2.0', generator: 'Cloche sample', copyright: 'CC0 1.0' },
        scene: 0,
        scenes: [{ name: 'Scene', nodes: [0] }],
        nodes: this.#nodes,
        meshes: this.#meshes,
        materials: this.#materials,
        textures: this.#images.map((_, source) => ({ sampler: 0, source })),
        images: this.#images,
        samplers: [REPEAT_AND_MIPMAPS],
        accessors: this.#accessors,
        bufferViews: this.#bufferViews,
        buffers: [{ byteLength: this.#byteLength }],
      }),
    );
    const body = [...chunk('JSON', pad(json, ' ')), ...chunk('BIN\0', Buffer.concat(this.#chunks))];
    const header = Buffer.from('glTF\x02\0\0\0\0\0\0\0', 'latin1');
    header.writeUInt32LE(
      body.reduce((sum, { length }) => sum + length, header.length),
      8,
    );
    return Buffer.concat([header, ...body]);
  }

  #addMesh(name: string, shape: Shape, material: Material): number {
    const { vertices, triangles } = shape;
    const count = vertices.length;
    const floats = (rows: readonly (readonly number[])[]) => new Float32Array(rows.flat());
    const positions = floats(vertices.map(({ position }) => position));
    const attributes = {
      POSITION: this.#addAccessor(positions, 'VEC3', FLOAT, count, bounds(positions)),
      NORMAL: this.#addAccessor(floats(vertices.map((v) => v.normal)), 'VEC3', FLOAT, count),
      ...(material.textures?.relief && {
        TANGENT: this.#addAccessor(new Float32Array(tangents(shape)), 'VEC4', FLOAT, count),
      }),
      ...(material.textures && {
        TEXCOORD_0: this.#addTextureCoordinates(vertices.map(({ uv }) => uv)),
      }),
      ...(material.tinted !== false && {
        COLOR_0: this.#addAccessor(tints(vertices), 'VEC4', UNSIGNED_BYTE, count),
      }),
    };
    const corners = new Uint16Array(triangles.flat());
    const indices = this.#addAccessor(corners, 'SCALAR', UNSIGNED_SHORT, corners.length);
    const primitive = { attributes, indices, material: this.#addMaterial(material) };
    return this.#meshes.push({ name, primitives: [primitive] }) - 1;
  }

  /** Two bytes a coordinate will do, where the texture does not repeat. */
  #addTextureCoordinates(uvs: readonly Vec2[]): number {
    const values = uvs.flat();
    return values.every((x) => x >= 0 && x <= 1)
      ? this.#addAccessor(
          Uint16Array.from(values, (x) => Math.round(x * 65535)),
          'VEC2',
          UNSIGNED_SHORT,
          uvs.length,
        )
      : this.#addAccessor(new Float32Array(values), 'VEC2', FLOAT, uvs.length);
  }

  #addAccessor(
    values: Float32Array | Uint16Array | Uint8Array,
    type: string,
    componentType: number,
    count: number,
    extra: object = {},
  ): number {
    const target = type === 'SCALAR' ? ELEMENT_ARRAY_BUFFER : ARRAY_BUFFER;
    const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
    const bufferView = this.#addBufferView(bytes, { target });
    const normalized = componentType !== FLOAT && type !== 'SCALAR' && { normalized: true };
    return (
      this.#accessors.push({ bufferView, componentType, ...normalized, count, type, ...extra }) - 1
    );
  }

  #addBufferView(bytes: Buffer, extra: object = {}): number {
    const view = { buffer: 0 as const, byteOffset: this.#byteLength, byteLength: bytes.length };
    const padded = pad(bytes, '\0');
    this.#chunks.push(padded);
    this.#byteLength += padded.length;
    return this.#bufferViews.push({ ...view, ...extra }) - 1;
  }

  #addMaterial(material: Material): number {
    const known = this.#materialIndices.get(material);
    if (known !== undefined) return known;
    const { name, textures, alphaMode } = material;
    const texture = (png: Buffer, extra = {}) => ({ index: this.#addTexture(png), ...extra });
    const index = this.#materials.push({
      name,
      pbrMetallicRoughness: {
        baseColorFactor: material.color,
        metallicFactor: material.metallic ?? 0,
        roughnessFactor: material.roughness,
        ...(textures?.color && { baseColorTexture: texture(textures.color) }),
      },
      ...(textures?.relief && {
        normalTexture: texture(textures.relief, { scale: material.reliefScale ?? 1 }),
      }),
      ...(alphaMode && { alphaMode }),
    });
    this.#materialIndices.set(material, index - 1);
    return index - 1;
  }

  #addTexture(png: Buffer): number {
    const known = this.#textureIndices.get(png);
    if (known !== undefined) return known;
    const image = { mimeType: 'image/png', bufferView: this.#addBufferView(png) };
    const index = this.#images.push(image) - 1;
    this.#textureIndices.set(png, index);
    return index;
  }
}

/** Tints as bytes; four to a vertex, as attributes must start on multiples of four. */
function tints(vertices: Shape['vertices']): Uint8Array {
  return new Uint8Array(
    vertices.flatMap(({ tint }) => [...tint.map((x) => Math.round(255 * Math.min(1, x))), 255]),
  );
}

function bounds(positions: Float32Array): { min: number[]; max: number[] } {
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  for (const [i, x] of positions.entries()) {
    min[i % 3] = Math.min(at(min, i % 3), x);
    max[i % 3] = Math.max(at(max, i % 3), x);
  }
  return { min, max };
}

function pad(bytes: Buffer, filler: string): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3, filler)]);
}

function chunk(type: string, bytes: Buffer): Buffer[] {
  const header = Buffer.alloc(8);
  header.writeUInt32LE(bytes.length, 0);
  header.write(type, 4, 'latin1');
  return [header, bytes];
}
