import { CUBE_FACES, cubeCorners } from './cube.ts';

export type PlyOptions = {
  format?: 'ascii' | 'binary_little_endian' | 'binary_big_endian';
  size?: number;
  /** Colours of the eight corners, sRGB bytes; all white by default. */
  colours?: readonly (readonly [number, number, number])[];
  /** Leaves the faces out. */
  pointsOnly?: boolean;
};

/** A PLY of a cube from the origin: eight corners with colours, six faces of four corners. */
export function makePly(options: PlyOptions = {}): Buffer {
  const { format = 'ascii', size = 1, colours = [], pointsOnly } = options;
  const faces = pointsOnly ? [] : CUBE_FACES;
  const header = `ply
format ${format} 1.0
comment made by Cloche tests
element vertex 8
property float x
property float y
property float z
property uchar red
property uchar green
property uchar blue
${pointsOnly ? '' : 'element face 6\nproperty list uchar int vertex_indices\n'}end_header
`;
  const vertices = cubeCorners(size).map(
    (corner, at) => [corner, colours[at] ?? [255, 255, 255]] as const,
  );
  if (format === 'ascii') {
    const rows = [...vertices.map((row) => row.flat()), ...faces.map((face) => [4, ...face])];
    return Buffer.from(header + rows.map((row) => `${row.join(' ')}\n`).join(''));
  }
  const little = format === 'binary_little_endian';
  const bytes = new DataView(new ArrayBuffer(8 * 15 + faces.length * 17));
  vertices.forEach(([corner, colour], at) => {
    corner.forEach((value, axis) => {
      bytes.setFloat32(15 * at + 4 * axis, value, little);
    });
    colour.forEach((value, channel) => {
      bytes.setUint8(15 * at + 12 + channel, value);
    });
  });
  faces.forEach((face, at) => {
    bytes.setUint8(120 + 17 * at, 4);
    face.forEach((corner, place) => {
      bytes.setInt32(120 + 17 * at + 1 + 4 * place, corner, little);
    });
  });
  return Buffer.concat([Buffer.from(header), Buffer.from(bytes.buffer)]);
}
