import { CUBE_TRIANGLES, cubeCorners } from './cube.ts';

export type StlOptions = {
  ascii?: boolean;
  /** Length of an edge, in the unit of the file. */
  size?: number;
  /** In ASCII the name of the solid, in binary the start of the header. */
  name?: string;
  /** In binary: the sRGB color, from 0 to 1, of all facets but the first two, which are red. */
  color?: readonly [number, number, number];
};

/** Creates an STL of a cube at the origin. */
export function makeStl(options: StlOptions = {}): Buffer {
  const { ascii, size = 10, name = 'cube', color } = options;
  const corners = cubeCorners(size);
  const facets = CUBE_TRIANGLES.map((facet) =>
    facet.map((index) => corners[index] as [number, number, number]),
  );
  if (ascii) {
    const text = facets.map(
      (facet) =>
        `facet normal 0 0 0\n outer loop\n${facet.map((corner) => `  vertex ${corner.map((value) => value.toExponential(6)).join(' ')}\n`).join('')} endloop\nendfacet\n`,
    );
    return Buffer.from(`solid ${name}\n${text.join('')}endsolid ${name}\n`);
  }
  const bytes = Buffer.alloc(84 + 50 * facets.length);
  bytes.write(name, 'latin1');
  if (color) {
    bytes.write('COLOR=', 40, 'latin1');
    bytes.set([...color.map((value) => Math.round(255 * value)), 255], 46);
  }
  bytes.writeUInt32LE(facets.length, 80);
  facets.forEach((facet, index) => {
    const offset = 84 + 50 * index;
    facet.flat().forEach((value, axis) => {
      bytes.writeFloatLE(value, offset + 12 + 4 * axis);
    });
    if (color) bytes.writeUInt16LE(index < 2 ? 31 : 0x8000, offset + 48);
  });
  return bytes;
}
