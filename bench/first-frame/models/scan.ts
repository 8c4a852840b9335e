const BYTES_PER_VERTEX = 15;
const BYTES_PER_FACE = 13;

/** Generates a binary PLY as a 3D scanner writes it: a bumpy vase with a color at each vertex. */
export function makeScanPly(triangles: number): Buffer {
  const columns = Math.floor(Math.sqrt(triangles));
  const rows = Math.floor(triangles / columns / 2);
  const vertexCount = (rows + 1) * columns;
  const faceCount = rows * columns * 2;
  const header = Buffer.from(`ply
format binary_little_endian 1.0
element vertex ${vertexCount}
property float x
property float y
property float z
property uchar red
property uchar green
property uchar blue
element face ${faceCount}
property list uchar int vertex_indices
end_header
`);
  const body = Buffer.alloc(vertexCount * BYTES_PER_VERTEX + faceCount * BYTES_PER_FACE);
  let offset = 0;
  for (let row = 0; row <= rows; row++) {
    for (let column = 0; column < columns; column++) {
      offset = writeVertex(body, offset, row / rows, column / columns);
    }
  }
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const corner = row * columns + column;
      const next = row * columns + ((column + 1) % columns);
      offset = writeFace(body, offset, [corner, next, corner + columns]);
      offset = writeFace(body, offset, [next, next + columns, corner + columns]);
    }
  }
  return Buffer.concat([header, body]);
}

/** `v` runs from the bottom to the top, `u` around. */
function writeVertex(body: Buffer, offset: number, v: number, u: number): number {
  const angle = u * 2 * Math.PI;
  const bumps =
    Math.sin(angle * 9) * Math.sin(v * 40) * 0.02 + Math.sin(angle * 211 + v * 977) * 0.001;
  const radius = 0.3 + 0.15 * Math.sin(v * 5 + 0.5) + bumps;
  const end = [Math.cos(angle) * radius, v, -Math.sin(angle) * radius].reduce(
    (position, value) => body.writeFloatLE(value, position),
    offset,
  );
  const stripe = Math.sin(v * 60 + Math.sin(angle * 6) * 3) > 0 ? 1 : 0.6;
  return [190 * stripe, 120 + bumps * 2000, 80 * stripe].reduce(
    (position, value) => body.writeUInt8(Math.min(255, Math.max(0, Math.round(value))), position),
    end,
  );
}

function writeFace(body: Buffer, offset: number, corners: readonly number[]): number {
  return corners.reduce(
    (position, corner) => body.writeInt32LE(corner, position),
    body.writeUInt8(3, offset),
  );
}
