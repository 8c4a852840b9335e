// A reader of our own instead of assimp 5.2 (assimpjs 0.0.10). A terrain grid of 980,000 facets on a
// busy machine with two cores, November 2026: as binary (49 MB), assimp takes 53 s and 825 MB and
// returns the flat normals of the file, this reader 9.6 s and 266 MB including smooth normals; as
// ASCII (174 MB), this reader takes 27 s and 393 MB.
import { Problem } from '@cloche/contract/problem';
import { Document } from '@gltf-transform/core';
import { addPrimitive } from '../../mesh/add-primitive.ts';
import { type CoordinateSystem, toGltfSpace } from '../../mesh/coordinate-system.ts';
import { createDefaultMaterial, DEFAULT_COLOR } from '../../mesh/default-material.ts';
import type { ImportedModel } from '../../mesh/imported-model.ts';
import { decodeText } from '../../validation/decode-text.ts';
import { Tokenizer } from '../../validation/tokenizer.ts';
import {
  findDefaultColor,
  isBinaryStl,
  readFacetCount,
  STL_ATTRIBUTE_OFFSET,
  STL_FACET_BYTES,
  STL_HEADER_BYTES,
  STL_VERTICES_OFFSET,
} from './binary-stl.ts';
import { StlMeshBuilder, type StlSolid } from './mesh-builder.ts';
import { collectStlWarnings } from './warnings.ts';

/** A name that a facet follows on the same line must end within these bytes. */
const MAX_NAME_BYTES = 512;
const NAME_END = /[\r\n]|\sfacet\s+normal\s/i;

/** What slicers and most CAD programs write. The file does not specify its unit or axes. */
const STL_COORDINATES: CoordinateSystem = { metersPerUnit: 0.001, upAxis: 'z' };

/**
 * Imports an STL, binary or ASCII, with one node per solid.
 *
 * The normals in the file are ignored: they are those of the flat facets, and often wrong or zero.
 * Colors are read from binary files whose header contains `COLOR=` (Materialise Magics).
 *
 * @throws {Problem} design.unreadable
 */
export function importStl(bytes: Buffer): ImportedModel {
  const parsed = isBinaryStl(bytes, bytes.length) ? [parseBinaryStl(bytes)] : parseAsciiStl(bytes);
  const solids = parsed.filter(({ geometry }) => geometry.indices.length > 0);
  if (solids.length === 0) {
    throw new Problem('design.unreadable', { detail: 'The STL has no facets.' });
  }
  const document = new Document();
  const scene = document.createScene();
  for (const { name, geometry } of solids) {
    const mesh = document.createMesh(name);
    const material = createDefaultMaterial(document, geometry.colors ? [1, 1, 1] : DEFAULT_COLOR);
    addPrimitive(document, mesh, { geometry: toGltfSpace(geometry, STL_COORDINATES), material });
    scene.addChild(document.createNode(name).setMesh(mesh));
  }
  return { document, warnings: collectStlWarnings(bytes) };
}

function parseBinaryStl(bytes: Buffer): StlSolid {
  const count = readFacetCount(bytes);
  const defaultColor = findDefaultColor(bytes);
  const builder = new StlMeshBuilder({ hasColors: defaultColor !== undefined });
  for (let facet = 0; facet < count; facet++) {
    const start = STL_HEADER_BYTES + STL_FACET_BYTES * facet;
    if (defaultColor) {
      builder.setColor(
        toFacetColor(bytes.readUInt16LE(start + STL_ATTRIBUTE_OFFSET), defaultColor),
      );
    }
    for (
      let offset = start + STL_VERTICES_OFFSET;
      offset < start + STL_ATTRIBUTE_OFFSET;
      offset += 12
    ) {
      builder.addCorner(
        bytes.readFloatLE(offset),
        bytes.readFloatLE(offset + 4),
        bytes.readFloatLE(offset + 8),
      );
    }
  }
  // The header of a binary file is free text of the program that wrote it, not a name.
  return { name: '', geometry: builder.toGeometry() };
}

/** Decodes a color of five bits per component, red lowest. The highest bit means the default color. */
function toFacetColor(attribute: number, defaultColor: Uint8Array): number[] {
  if (attribute & 0x8000) return Array.from(defaultColor.subarray(0, 3), (value) => value / 255);
  return [0, 5, 10].map((shift) => ((attribute >> shift) & 31) / 31);
}

function parseAsciiStl(bytes: Buffer): StlSolid[] {
  const tokenizer = new Tokenizer(bytes);
  const solids: StlSolid[] = [];
  let name = '';
  let builder = new StlMeshBuilder({ hasColors: false });
  const finishSolid = () => {
    solids.push({ name, geometry: builder.toGeometry() });
    builder = new StlMeshBuilder({ hasColors: false });
  };
  while (!tokenizer.isAtEnd) {
    // A keyword may be anywhere in a line, because some programs write a facet on one line.
    if (!tokenizer.hasTokenOnLine()) tokenizer.skipLine();
    const keyword = tokenizer.readToken().toLowerCase();
    if (keyword === 'vertex') {
      builder.addCorner(tokenizer.readNumber(), tokenizer.readNumber(), tokenizer.readNumber());
    } else if (keyword === 'solid') {
      name = readName(bytes, tokenizer);
    } else if (keyword === 'endsolid') {
      finishSolid();
      readName(bytes, tokenizer);
    }
  }
  finishSolid();
  return solids;
}

/** Reads the name of a solid: the rest of the line, or up to a facet on the same line. */
function readName(bytes: Buffer, tokenizer: Tokenizer): string {
  const start = tokenizer.offset;
  const length = bytes.toString('latin1', start, start + MAX_NAME_BYTES).search(NAME_END);
  if (length < 0) return tokenizer.readRestOfLine();
  tokenizer.offset += length;
  return decodeText(bytes.subarray(start, tokenizer.offset)).trim();
}
