import { CUBE_TRIANGLES, cubeCorners } from './cube.ts';

export type StlOptions = {
  ascii?: boolean;
  /** Length of an edge in the file's unit. */
  size?: number;
  /** The name of the solid, in ASCII; the start of the header, in binary. */
  name?: string;
  /** Paints the facets, the first two red and the others with this sRGB colour, in binary. */
  colour?: readonly [number, number, number];
};

/** An STL of a cube from the origin. */
export function makeStl(options: StlOptions = {}): Buffer {
  const { ascii, size = 10, name = 'cube', colour } = options;
  const corners = cubeCorners(size);
  const facets = CUBE_TRIANGLES.map((facet) =>
    facet.map((at) => corners[at] as [number, number, number]),
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
  if (colour) {
    bytes.write('COLOR=', 40, 'latin1');
    bytes.set([...colour.map((value) => Math.round(255 * value)), 255], 46);
  }
  bytes.writeUInt32LE(facets.length, 80);
  facets.forEach((facet, at) => {
    facet.flat().forEach((value, axis) => {
      bytes.writeFloatLE(value, 84 + 50 * at + 12 + 4 * axis);
    });
    if (colour) bytes.writeUInt16LE(at < 2 ? 31 : 0x8000, 84 + 50 * at + 48);
  });
  return bytes;
}
