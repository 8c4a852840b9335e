import { CUBE_FACES, cubeCorners } from './cube.ts';

export type OffOptions = {
  /** The keyword that the file begins with. */
  keyword?: string;
  size?: number;
  /** Appended to each vertex, in turn: normals, colors and texture coordinates. */
  vertexData?: readonly string[];
  /** Appended to each face, in turn: colors. */
  faceData?: readonly string[];
  lineEnd?: '\n' | '\r\n' | '\r';
};

/** Creates an OFF of a cube at the origin: eight vertices, six quadrilateral faces. */
export function makeOff(options: OffOptions = {}): Buffer {
  const { keyword = 'OFF', size = 1, vertexData = [''], faceData = [''], lineEnd = '\n' } = options;
  const addData = (data: readonly string[]) => (row: readonly number[], index: number) =>
    `${row.join(' ')} ${data[index % data.length]}`.trim();
  const lines = [
    keyword,
    '8 6 12',
    ...cubeCorners(size).map(addData(vertexData)),
    ...CUBE_FACES.map((face) => [face.length, ...face]).map(addData(faceData)),
  ];
  return Buffer.from(lines.map((line) => `${line}${lineEnd}`).join(''));
}
