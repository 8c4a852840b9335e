import { CUBE_FACES, cubeCorners } from './cube.ts';

export type ObjOptions = {
  size?: number;
  /** The MTL file that it refers to. */
  materialLibrary?: string;
  /** The objects: cubes next to each other, each with the material of that name. */
  objects?: readonly { name: string; material?: string }[];
};

/** Creates an OBJ of cubes with quadrilateral faces and texture coordinates, without normals. */
export function makeObj(options: ObjOptions = {}): Buffer {
  const { size = 1, materialLibrary, objects = [{ name: 'Cube' }] } = options;
  const lines = [
    '# created by Cloche tests',
    ...(materialLibrary === undefined ? [] : [`mtllib ${materialLibrary}`]),
  ];
  for (const [index, { name, material }] of objects.entries()) {
    lines.push(`o ${name}`);
    for (const [x, y, z] of cubeCorners(size)) lines.push(`v ${x + 2 * index * size} ${y} ${z}`);
    lines.push('vt 0 0', 'vt 1 0', 'vt 1 1', 'vt 0 1');
    if (material !== undefined) lines.push(`usemtl ${material}`);
    for (const face of CUBE_FACES) {
      // Negative indices count backwards from the last vertex.
      const corners = face.map((corner, index) => `${corner - 8}/${index - 4}`);
      lines.push(`f ${corners.join(' ')}`);
    }
  }
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** Creates an MTL with one material of these statements. */
export function makeMtl(name: string, statements: { readonly [keyword: string]: string }): string {
  const lines = Object.entries(statements).map(([keyword, value]) => `${keyword} ${value}`);
  return `newmtl ${name}\n${lines.join('\n')}\n`;
}
