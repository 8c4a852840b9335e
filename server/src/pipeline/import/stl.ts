import { Problem } from '@cloche/contract/problem';
import { Document, type vec3 } from '@gltf-transform/core';
import type { Warning } from '../report.ts';
import type { Geometry } from './geometry.ts';
import { growingFloats, growingIndices, RowIndex } from './grow.ts';
import { addPrimitive, type Frame, GREY, plainMaterial, stand, toLinear } from './scene.ts';
import { Words } from './words.ts';

/** As slicers and most CAD programs write it; the file itself does not say. */
const FRAME: Frame = { metres: 0.001, up: 'z' };
const HEADER = 84;
const FACET = 50;

type Solid = { name: string; geometry: Geometry };

/**
 * Reads STL, binary or ASCII, into one node for each solid.
 *
 * The normals in the file are those of the flat facets, and often wrong or zero: they are not
 * used. Colours are read from binary files whose header says `COLOR=` (Materialise Magics).
 *
 * A reader of our own, not assimp's (5.2). A hilly field of 980,000 facets, 49 MB, on a busy machine of
 * two cores, November 2026: assimp 53 s and 825 MB, with the flat normals of the file; ours 9.6 s and
 * 266 MB, smooth normals included; the same as ASCII (174 MB): 27 s and 393 MB.
 */
export function readStl(bytes: Buffer): { document: Document; warnings: Warning[] } {
  const solids = isBinary(bytes) ? [readBinary(bytes)] : readAscii(bytes);
  if (!solids.some(({ geometry }) => geometry.indices.length > 0)) {
    throw new Problem('design.unreadable', { detail: 'The STL has no facets.' });
  }
  const document = new Document();
  const scene = document.createScene();
  for (const { name, geometry } of solids) {
    if (geometry.indices.length === 0) continue;
    const mesh = document.createMesh(name);
    const material = plainMaterial(document, geometry.colours ? [1, 1, 1] : GREY);
    addPrimitive(document, mesh, { geometry: stand(geometry, FRAME), material });
    scene.addChild(document.createNode(name).setMesh(mesh));
  }
  const message =
    'STL files do not say their unit or which way is up: millimetres and Z up were assumed.';
  const warnings = [{ code: 'units.assumed', message }, ...tellColours(bytes)];
  return { document, warnings };
}

/** The header that says how facets are painted is often left out; the highest bit marks a colour. */
function tellColours(bytes: Buffer): Warning[] {
  if (!isBinary(bytes) || colourOf(bytes)) return [];
  const end = HEADER + FACET * bytes.readUInt32LE(80);
  let isPainted = false;
  for (let at = HEADER; at < end; at += FACET) {
    const number = bytes.readUInt16LE(at + 48);
    isPainted ||= number >= 0x8000 && number !== 0xffff;
  }
  if (!isPainted) return [];
  const message =
    'The STL seems to have colours, but does not say how they are written: they were not read.';
  return [{ code: 'colours.unread', message }];
}

/** Binary files tell their size; their header may well begin with the word `solid`. */
function isBinary(bytes: Buffer): boolean {
  if (bytes.length < HEADER) return false;
  const size = HEADER + FACET * bytes.readUInt32LE(80);
  return (
    size === bytes.length ||
    (size < bytes.length && !/^\s*solid/.test(bytes.toString('latin1', 0, 80)))
  );
}

function readBinary(bytes: Buffer): Solid {
  const count = bytes.readUInt32LE(80);
  const plain = colourOf(bytes);
  const corners = new Corners(plain !== undefined);
  for (let facet = 0; facet < count; facet++) {
    const at = HEADER + FACET * facet;
    if (plain) corners.paint(facetColour(bytes.readUInt16LE(at + 48), plain));
    for (let corner = 12; corner < 48; corner += 12) {
      corners.add(
        bytes.readFloatLE(at + corner),
        bytes.readFloatLE(at + corner + 4),
        bytes.readFloatLE(at + corner + 8),
      );
    }
  }
  // The header of a binary file is whatever the program liked to say: no name.
  return { name: '', geometry: corners.done() };
}

/** The colour of what has none of its own, if the header says that there are colours. */
function colourOf(bytes: Buffer): Uint8Array | undefined {
  const painted = bytes.toString('latin1', 0, 80).indexOf('COLOR=');
  return painted < 0 || painted > 70 ? undefined : bytes.subarray(painted + 6, painted + 10);
}

/** Five bits for each colour, red lowest; the highest bit says that the file's own colour holds. */
function facetColour(bits: number, plain: Uint8Array): vec3 {
  if (bits & 0x8000) return [...plain.subarray(0, 3)].map((value) => toLinear(value / 255)) as vec3;
  return [0, 5, 10].map((shift) => toLinear(((bits >> shift) & 31) / 31)) as vec3;
}

function readAscii(bytes: Buffer): Solid[] {
  const words = new Words(bytes);
  const solids: Solid[] = [];
  let [name, corners] = ['', new Corners(false)];
  const finish = () => {
    const geometry = corners.done();
    if (geometry.indices.length > 0) solids.push({ name, geometry });
    corners = new Corners(false);
  };
  while (!words.done) {
    // Some programs write a whole facet on one line.
    if (!words.more()) words.nextLine();
    const keyword = words.word().toLowerCase();
    if (keyword === 'vertex') corners.add(words.number(), words.number(), words.number());
    else if (keyword === 'solid') name = words.rest();
    else if (keyword === 'endsolid') {
      finish();
      words.nextLine();
    }
  }
  finish();
  return solids;
}

/** Corners of triangles, put together where they are the same. */
class Corners {
  readonly #place = new Float32Array(6);
  readonly #row: Uint32Array;
  readonly #index: RowIndex;
  readonly #positions = growingFloats();
  readonly #colours = growingFloats();
  readonly #indices = growingIndices();
  readonly #painted: boolean;

  constructor(painted: boolean) {
    this.#painted = painted;
    this.#row = new Uint32Array(this.#place.buffer);
    this.#index = new RowIndex(6);
  }

  paint(colour: vec3): void {
    this.#place.set(colour, 3);
  }

  add(x: number, y: number, z: number): void {
    if (!Number.isFinite(x + y + z)) {
      throw new Problem('design.unreadable', {
        detail: 'The STL has a corner that is not three numbers.',
      });
    }
    this.#place[0] = x + 0;
    this.#place[1] = y + 0;
    this.#place[2] = z + 0;
    const vertex = this.#index.add(this.#row);
    if (3 * vertex === this.#positions.length) {
      this.#positions.push3(x, y, z);
      if (this.#painted) this.#colours.push3(...(this.#place.subarray(3) as unknown as vec3));
    }
    this.#indices.push(vertex);
  }

  done(): Geometry {
    const indices = this.#indices.done();
    const whole = indices.subarray(0, indices.length - (indices.length % 3));
    const geometry: Geometry = { positions: this.#positions.done(), indices: whole };
    if (this.#painted) geometry.colours = withAlpha(this.#colours.done());
    return geometry;
  }
}

function withAlpha(triples: Float32Array): Uint16Array<ArrayBuffer> {
  const colours = new Uint16Array((triples.length / 3) * 4).fill(65535);
  triples.forEach((value, at) => {
    colours[at + Math.floor(at / 3)] = Math.round(value * 65535);
  });
  return colours;
}
