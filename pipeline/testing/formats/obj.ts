import { CUBE_FACES, cubeCorners } from './cube.ts';

export type ObjOptions = {
  size?: number;
  /** The material library that it names. */
  materialLibrary?: string;
  /** The objects: each is a cube beside the one before, with a material of that name. */
  objects?: readonly { name: string; material?: string }[];
};

/** An OBJ of cubes of four-cornered faces, with texture coordinates and without normals. */
export function makeObj(options: ObjOptions = {}): Buffer {
  const { size = 1, materialLibrary, objects = [{ name: 'Cube' }] } = options;
  const lines = [
    '# made by Cloche tests',
    ...(materialLibrary === undefined ? [] : [`mtllib ${materialLibrary}`]),
  ];
  for (const [at, { name, material }] of objects.entries()) {
    lines.push(`o ${name}`);
    for (const [x, y, z] of cubeCorners(size)) lines.push(`v ${x + 2 * at * size} ${y} ${z}`);
    lines.push('vt 0 0', 'vt 1 0', 'vt 1 1', 'vt 0 1');
    if (material !== undefined) lines.push(`usemtl ${material}`);
    for (const face of CUBE_FACES) {
      // Backwards from the last vertex, as some programs count.
      lines.push(`f ${face.map((corner, place) => `${corner - 8}/${place - 4}`).join(' ')}`);
    }
  }
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** An MTL of one material. */
export function makeMtl(name: string, says: { readonly [keyword: string]: string }): string {
  const lines = Object.entries(says).map(([keyword, value]) => `${keyword} ${value}`);
  return `newmtl ${name}\n${lines.join('\n')}\n`;
}
