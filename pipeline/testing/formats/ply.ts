import { CUBE_FACES, cubeCorners } from './cube.ts';

export type PlyOptions = {
  format?: 'ascii' | 'binary_little_endian' | 'binary_big_endian';
  size?: number;
  /** Colors of the eight corners, as sRGB bytes; missing ones are white. */
  colors?: readonly (readonly [number, number, number])[];
  /** Omits the faces. */
  pointsOnly?: boolean;
  /** How the lines of the header and of ASCII data end. */
  lineEnd?: '\n' | '\r\n' | '\r';
};

/** Creates a PLY of a cube at the origin: eight vertices with colors, six quadrilateral faces. */
export function makePly(options: PlyOptions = {}): Buffer {
  const { format = 'ascii', size = 1, colors = [], pointsOnly, lineEnd = '\n' } = options;
  const faces = pointsOnly ? [] : CUBE_FACES;
  const header = `ply
format ${format} 1.0
comment created by Cloche tests
element vertex 8
property float x
property float y
property float z
property uchar red
property uchar green
property uchar blue
${pointsOnly ? '' : 'element face 6\nproperty list uchar int vertex_indices\n'}end_header
`.replaceAll('\n', lineEnd);
  const vertices = cubeCorners(size).map(
    (corner, index) => [corner, colors[index] ?? [255, 255, 255]] as const,
  );
  if (format === 'ascii') {
    const rows = [...vertices.map((row) => row.flat()), ...faces.map((face) => [4, ...face])];
    return Buffer.from(header + rows.map((row) => `${row.join(' ')}${lineEnd}`).join(''));
  }
  const littleEndian = format === 'binary_little_endian';
  const bytes = new DataView(new ArrayBuffer(8 * 15 + faces.length * 17));
  vertices.forEach(([corner, color], vertex) => {
    corner.forEach((value, axis) => {
      bytes.setFloat32(15 * vertex + 4 * axis, value, littleEndian);
    });
    color.forEach((value, channel) => {
      bytes.setUint8(15 * vertex + 12 + channel, value);
    });
  });
  faces.forEach((corners, face) => {
    bytes.setUint8(120 + 17 * face, 4);
    corners.forEach((vertex, corner) => {
      bytes.setInt32(120 + 17 * face + 1 + 4 * corner, vertex, littleEndian);
    });
  });
  return Buffer.concat([Buffer.from(header), Buffer.from(bytes.buffer)]);
}
