import { CUBE_TRIANGLES, cubeCorners } from './cube.ts';
import { makeZip } from './zip.ts';

export type ThreeMfOptions = {
  unit?: 'micron' | 'millimeter' | 'centimeter' | 'inch' | 'foot' | 'meter';
  /** Length of an edge, in the unit of the file. */
  size?: number;
  name?: string;
  /** Puts the object into a second model file, as slicers do. */
  separateModelFile?: boolean;
};

/**
 * Creates a 3MF with a cube that is built twice: at the origin, and moved by twice its size along x.
 * The first face is blue, the others have the material `Red`.
 */
export function make3mf(options: ThreeMfOptions = {}): Buffer {
  const { unit = 'millimeter', size = 10, name = 'Cube', separateModelFile } = options;
  const object = `<object id="2" name="${name}" type="model" pid="1" pindex="0">${meshXml(size)}</object>`;
  const materials =
    '<basematerials id="1"><base name="Red" displaycolor="#FF0000"/><base name="Blue" displaycolor="#0000FF80"/></basematerials>';
  const build = `<build><item objectid="3"/><item objectid="3" transform="1 0 0 0 1 0 0 0 1 ${2 * size} 0 0"/></build>`;
  const path = separateModelFile ? ' p:path="/3D/Objects/part.model"' : '';
  const localObjects = separateModelFile ? '' : materials + object;
  const whole = `<object id="3" name="Whole" type="model"><components><component objectid="2"${path}/></components></object>`;
  return makeZip({
    '[Content_Types].xml':
      '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>',
    '_rels/.rels':
      '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Target="/3D/start.model" Id="rel0" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>',
    '3D/start.model': modelXml(unit, `<resources>${localObjects}${whole}</resources>${build}`),
    ...(separateModelFile && {
      '3D/Objects/part.model': modelXml(
        unit,
        `<resources>${materials}${object}</resources><build/>`,
      ),
    }),
  });
}

function modelXml(unit: string, content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!-- <vertex x="a comment"/> -->
<model unit="${unit}" xml:lang="en-US" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06">${content}</model>`;
}

function meshXml(size: number): string {
  const vertices = cubeCorners(size).map(([x, y, z]) => `<vertex x="${x}" y="${y}" z="${z}"/>`);
  const triangles = CUBE_TRIANGLES.map(([a, b, c], index) => {
    const property = index < 2 ? ' pid="1" p1="1"' : '';
    return `<triangle v1="${a}" v2="${b}" v3="${c}"${property}/>`;
  });
  return `<mesh><vertices>${vertices.join('')}</vertices><triangles>${triangles.join('')}</triangles></mesh>`;
}
