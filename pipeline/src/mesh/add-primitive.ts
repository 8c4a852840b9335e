import type { Document, Material, Mesh, Primitive } from '@gltf-transform/core';
import { computeCreasedNormals } from './crease-normals.ts';
import type { MeshGeometry } from './mesh-geometry.ts';

/** The primitive mode of points, as in glTF. */
const POINTS = 0;

/** Adds a geometry to a mesh and computes missing normals. Without indices, it is a point cloud. */
export function addPrimitive(
  document: Document,
  mesh: Mesh,
  { geometry, material }: { geometry: MeshGeometry; material: Material | null },
): Primitive {
  const isPoints = geometry.indices.length === 0;
  const { positions, normals, colors, texCoords, indices } =
    isPoints || geometry.normals ? geometry : computeCreasedNormals(geometry);
  const buffer = document.getRoot().listBuffers()[0] ?? document.createBuffer();
  const createAttribute = (
    type: 'VEC2' | 'VEC3' | 'VEC4',
    array: Float32Array<ArrayBuffer> | Uint16Array<ArrayBuffer>,
  ) =>
    document
      .createAccessor()
      .setType(type)
      .setArray(array)
      .setNormalized(array instanceof Uint16Array)
      .setBuffer(buffer);
  const primitive = document
    .createPrimitive()
    .setMaterial(material)
    .setAttribute('POSITION', createAttribute('VEC3', positions));
  if (normals) primitive.setAttribute('NORMAL', createAttribute('VEC3', normalizeNormals(normals)));
  if (colors) primitive.setAttribute('COLOR_0', createAttribute('VEC4', colors));
  if (texCoords) primitive.setAttribute('TEXCOORD_0', createAttribute('VEC2', texCoords));
  if (isPoints) primitive.setMode(POINTS);
  else primitive.setIndices(document.createAccessor().setArray(indices).setBuffer(buffer));
  mesh.addPrimitive(primitive);
  return primitive;
}

/** Scales normals to unit length, in place. Those without a direction become (0, 1, 0). */
function normalizeNormals(normals: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  for (let offset = 0; offset < normals.length; offset += 3) {
    const x = normals[offset] as number;
    const y = normals[offset + 1] as number;
    const z = normals[offset + 2] as number;
    const length = Math.hypot(x, y, z);
    const hasDirection = length > 0 && Number.isFinite(length);
    normals[offset] = hasDirection ? x / length : 0;
    normals[offset + 1] = hasDirection ? y / length : 1;
    normals[offset + 2] = hasDirection ? z / length : 0;
  }
  return normals;
}
