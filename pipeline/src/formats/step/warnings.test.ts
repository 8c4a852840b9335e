import { describe } from 'node:test';
import { makeIfc } from '../../../testing/formats/ifc.ts';
import { makeIges } from '../../../testing/formats/iges.ts';
import { testImportWarnings } from '../../../testing/formats/import-warnings.ts';
import { makeStep } from '../../../testing/formats/step.ts';

const withEntity = (entity: string) => (text: string) =>
  text.replace(/ENDSEC;\nEND-ISO/, `${entity}\nENDSEC;\nEND-ISO`);

describe('STEP, what the library does not read', () => {
  testImportWarnings(
    'step',
    () => makeStep({ color: [1, 0, 0], name: 'GEOMETRIC_TOLERANCE' }),
    [],
    [
      [
        'a tolerance',
        withEntity(
          "#9001=FLATNESS_TOLERANCE('',$,$,$);\n#9002=(GEOMETRIC_TOLERANCE('','',$,$)POSITION_TOLERANCE());",
        ),
        ['annotations.unread'],
      ],
      ['hidden things', withEntity('#9001=INVISIBILITY((#1));'), ['hidden.shown']],
      [
        'transparency',
        withEntity('#9001 = SURFACE_STYLE_TRANSPARENT (0.5);'),
        ['transparency.unread'],
      ],
      ['curves', withEntity("#9001=GEOMETRIC_CURVE_SET('',(#1));"), ['lines.unread']],
      [
        'nothing of a single layer',
        withEntity("#9001=PRESENTATION_LAYER_ASSIGNMENT('1','',(#1));"),
        [],
      ],
      [
        'layers',
        withEntity(
          "#9001=PRESENTATION_LAYER_ASSIGNMENT('1','',(#1));\n#9002=PRESENTATION_LAYER_ASSIGNMENT('2','',(#2));",
        ),
        ['layers.unread'],
      ],
    ],
  );
});

/** Changes the first line of the first entity in the directory of an IGES file. */
const withDirectoryField = (column: number, value: string) => (text: string) =>
  text.replace(
    /^.{72}D {6}1$/m,
    (all) => all.slice(0, 8 * column - 8) + value.padStart(8) + all.slice(8 * column),
  );

describe('IGES, what the library does not read', () => {
  testImportWarnings(
    'iges',
    makeIges,
    [],
    [
      ['layers', withDirectoryField(5, '3'), ['layers.unread']],
      ['hidden things', withDirectoryField(9, '01000000'), ['hidden.shown']],
      ['nothing of what is hidden as a part', withDirectoryField(9, '01010000'), []],
      ['notes', withDirectoryField(1, '212'), ['annotations.unread']],
      ['curves', withDirectoryField(1, '110'), ['lines.unread']],
      [
        'nothing of a curve of a surface',
        (text) => withDirectoryField(9, '00010000')(withDirectoryField(1, '110')(text)),
        [],
      ],
    ],
  );
});

describe('IFC, what the library does not read', () => {
  testImportWarnings(
    'ifc',
    makeIfc,
    [],
    [
      [
        'properties',
        withEntity("#90=IFCPROPERTYSET('0Ps',$,'Pset_WallCommon',$,());"),
        ['properties.unread'],
      ],
      [
        'a grid',
        withEntity("#90=IFCGRID('0Gr',$,'Grid',$,$,#51,$,(),(),$,$);"),
        ['annotations.unread'],
      ],
      ['textures', withEntity('#90=IFCSURFACESTYLEWITHTEXTURES(());'), ['textures.unread']],
      [
        'nothing of an element without a shape',
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
