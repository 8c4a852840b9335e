import { createGrowableIndices, VertexDeduplicator } from '../../mesh/growable-array.ts';
import type { ImportedModel } from '../../mesh/imported-model.ts';
import type { MeshGeometry } from '../../mesh/mesh-geometry.ts';
import { createSingleMeshDocument } from '../../mesh/single-mesh-document.ts';
import { type Off, readOff } from './read-off.ts';
import { collectOffWarnings } from './warnings.ts';

/**
 * Imports an OFF: as a mesh, or as points if the file has no polygons.
 *
 * @throws {Problem} design.unreadable
 */
export function importOff(bytes: Buffer): ImportedModel {
  const off = readOff(bytes);
  return {
    document: createSingleMeshDocument(toGeometry(off)),
    warnings: collectOffWarnings(off.findings),
  };
}

function toGeometry(off: Off): MeshGeometry {
  const { positions, normals, indices, vertexColors, triangleColors } = off;
  if (triangleColors) return splitByTriangleColor(off, triangleColors);
  const colors = vertexColors && gatherRows(off.colors.toLinearColors(), vertexColors, 4);
  return { positions, normals, indices, colors };
}

/** Duplicates each vertex once for every color of the triangles around it. */
function splitByTriangleColor(off: Off, triangleColors: Uint32Array): MeshGeometry {
  const deduplicator = new VertexDeduplicator(2);
  const vertices = createGrowableIndices();
  const colors = createGrowableIndices();
  const row = new Uint32Array(2);
  const indices = off.indices.map((vertex, corner) => {
    row[0] = vertex;
    row[1] = triangleColors[Math.floor(corner / 3)] as number;
    const added = deduplicator.getOrAdd(row);
    if (added === vertices.length) {
      vertices.push(vertex);
      colors.push(row[1]);
    }
    return added;
  });
  const sources = vertices.toTypedArray();
  return {
    indices,
    positions: gatherRows(off.positions, sources, 3),
    normals: off.normals && gatherRows(off.normals, sources, 3),
    colors: gatherRows(off.colors.toLinearColors(), colors.toTypedArray(), 4),
  };
}

/** Copies these rows of `width` values each. */
function gatherRows<Values extends Float32Array<ArrayBuffer> | Uint16Array<ArrayBuffer>>(
  values: Values,
  rows: Uint32Array,
  width: number,
): Values {
  const TypedArray = values.constructor as new (length: number) => Values;
  const gathered = new TypedArray(rows.length * width);
  rows.forEach((row, index) => {
    gathered.set(values.subarray(row * width, (row + 1) * width), index * width);
  });
  return gathered;
}
