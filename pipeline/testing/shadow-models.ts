/** Models whose shadows are examined. Lengths in meters. */
import { Document, Logger, type Material, type vec3 } from '@gltf-transform/core';

type Mesh = { positions: number[]; indices: number[] };

/** Creates a closed box. */
export function createBoxMesh([width, height, depth]: vec3, [x, y, z]: vec3 = [0, 0, 0]): Mesh {
  const positions: number[] = [];
  for (let corner = 0; corner < 8; corner++) {
    positions.push(
      x + width * ((corner & 1) - 0.5),
      y + height * (((corner >> 1) & 1) - 0.5),
      z + depth * (((corner >> 2) & 1) - 0.5),
    );
  }
  const quads = [
    [0, 4, 6, 2],
    [1, 3, 7, 5],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 2, 3, 1],
    [4, 5, 7, 6],
  ] as const;
  const indices = quads.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]);
  return { positions, indices };
}

/** Creates a standing rod with `sides` sides, whose foot is at the origin. */
export function createRodMesh(radius: number, height: number, sides = 24): Mesh {
  const positions = [0, 0, 0, 0, height, 0];
  const indices: number[] = [];
  for (let side = 0; side < sides; side++) {
    const angle = (2 * Math.PI * side) / sides;
    const [x, z] = [radius * Math.cos(angle), radius * Math.sin(angle)];
    positions.push(x, 0, z, x, height, z);
    const [low, nextLow] = [2 + 2 * side, 2 + 2 * ((side + 1) % sides)];
    indices.push(0, low, nextLow, 1, nextLow + 1, low + 1);
    indices.push(low, low + 1, nextLow, nextLow, low + 1, nextLow + 1);
  }
  return { positions, indices };
}

/** Creates a table with four legs. */
export function createTableMeshes(): Mesh[] {
  const legs = [-0.55, 0.55].flatMap((x) =>
    [-0.35, 0.35].map((z) => createBoxMesh([0.06, 0.7, 0.06], [x, 0.35, z])),
  );
  return [createBoxMesh([1.2, 0.04, 0.8], [0, 0.72, 0]), ...legs];
}

/** Creates a document with one node. */
export function createMeshDocument(
  meshes: readonly Mesh[],
  changeMaterial: (material: Material, document: Document) => void = () => {},
): Document {
  const document = new Document();
  const buffer = document.createBuffer();
  const material = document.createMaterial().setMetallicFactor(0);
  changeMaterial(material, document);
  const mesh = document.createMesh();
  for (const { positions, indices } of meshes) {
    const position = document
      .createAccessor()
      .setType('VEC3')
      .setArray(Float32Array.from(positions))
      .setBuffer(buffer);
    const index = document.createAccessor().setArray(Uint32Array.from(indices)).setBuffer(buffer);
    const primitive = document.createPrimitive().setMaterial(material);
    mesh.addPrimitive(primitive.setAttribute('POSITION', position).setIndices(index));
  }
  document.setLogger(new Logger(Logger.Verbosity.SILENT));
  document.createScene().addChild(document.createNode('Mesh').setMesh(mesh));
  return document;
}
