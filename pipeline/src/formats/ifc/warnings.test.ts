import { describe } from 'node:test';
import { makeIfc } from '../../../testing/formats/ifc.ts';
import { testImportWarnings } from '../../../testing/formats/import-warnings.ts';

const withEntity = (entity: string) => (text: string) =>
  text.replace(/ENDSEC;\nEND-ISO/, `${entity}\nENDSEC;\nEND-ISO`);

describe('IFC warnings', () => {
  testImportWarnings(
    'ifc',
    makeIfc,
    [],
    [
      [
        'properties',
        withEntity("#90=IFCPROPERTYSET('0Ps',$,'Pset_WallCommon',$,());"),
        ['properties.ignored'],
      ],
      [
        'a grid',
        withEntity("#90=IFCGRID('0Gr',$,'Grid',$,$,#51,$,(),(),$,$);"),
        ['annotations.ignored'],
      ],
      ['textures', withEntity('#90=IFCSURFACESTYLEWITHTEXTURES(());'), ['textures.ignored']],
      [
        'nothing about an element without a shape',
        withEntity("#90=IFCELEMENTASSEMBLY('0As',$,'A',$,$,#51,$,$,$,$);"),
        [],
      ],
      [
        'a part without triangles',
        withEntity(
          "#90=IFCCOLUMN('0Co',$,'A',$,$,#51,#91,$,$);\n#91=IFCPRODUCTDEFINITIONSHAPE($,$,());",
        ),
        ['part.empty'],
        /^1 of the 2 parts/,
      ],
    ],
  );
});
