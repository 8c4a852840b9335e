import { describe } from 'node:test';
import { makeIfc } from '../../../testing/formats/ifc.ts';
import { makeIges } from '../../../testing/formats/iges.ts';
import { makeStep } from '../../../testing/formats/step.ts';
import { tells } from '../../../testing/formats/tells.ts';

const line = (entity: string) => (text: string) =>
  text.replace(/ENDSEC;\nEND-ISO/, `${entity}\nENDSEC;\nEND-ISO`);

describe('STEP, what the library does not read', () => {
  tells(
    'step',
    () => makeStep({ colour: [1, 0, 0], name: 'GEOMETRIC_TOLERANCE' }),
    [],
    [
      [
        'a tolerance',
        line(
          "#9001=FLATNESS_TOLERANCE('',$,$,$);\n#9002=(GEOMETRIC_TOLERANCE('','',$,$)POSITION_TOLERANCE());",
        ),
        ['annotations.unread'],
      ],
      ['hidden things', line('#9001=INVISIBILITY((#1));'), ['hidden.shown']],
      ['transparency', line('#9001 = SURFACE_STYLE_TRANSPARENT (0.5);'), ['transparency.unread']],
      ['curves', line("#9001=GEOMETRIC_CURVE_SET('',(#1));"), ['lines.unread']],
      ['nothing of a single layer', line("#9001=PRESENTATION_LAYER_ASSIGNMENT('1','',(#1));"), []],
      [
        'layers',
        line(
          "#9001=PRESENTATION_LAYER_ASSIGNMENT('1','',(#1));\n#9002=PRESENTATION_LAYER_ASSIGNMENT('2','',(#2));",
        ),
        ['layers.unread'],
      ],
    ],
  );
});

/** Changes the first line of the first entity in the directory of an IGES file. */
const entry = (column: number, value: string) => (text: string) =>
  text.replace(
    /^.{72}D {6}1$/m,
    (all) => all.slice(0, 8 * column - 8) + value.padStart(8) + all.slice(8 * column),
  );

describe('IGES, what the library does not read', () => {
  tells(
    'iges',
    makeIges,
    [],
    [
      ['layers', entry(5, '3'), ['layers.unread']],
      ['hidden things', entry(9, '01000000'), ['hidden.shown']],
      ['nothing of what is hidden as a part', entry(9, '01010000'), []],
      ['notes', entry(1, '212'), ['annotations.unread']],
      ['curves', entry(1, '110'), ['lines.unread']],
      [
        'nothing of a curve of a surface',
        (text) => entry(9, '00010000')(entry(1, '110')(text)),
        [],
      ],
    ],
  );
});

describe('IFC, what the library does not read', () => {
  tells(
    'ifc',
    makeIfc,
    [],
    [
      [
        'properties',
        line("#90=IFCPROPERTYSET('0Ps',$,'Pset_WallCommon',$,());"),
        ['properties.unread'],
      ],
      ['a grid', line("#90=IFCGRID('0Gr',$,'Grid',$,$,#51,$,(),(),$,$);"), ['annotations.unread']],
      ['textures', line('#90=IFCSURFACESTYLEWITHTEXTURES(());'), ['textures.unread']],
      [
        'nothing of an element without a shape',
        line("#90=IFCELEMENTASSEMBLY('0As',$,'A',$,$,#51,$,$,$,$);"),
        [],
      ],
      [
        'a part without triangles',
        line("#90=IFCCOLUMN('0Co',$,'A',$,$,#51,#91,$,$);\n#91=IFCPRODUCTDEFINITIONSHAPE($,$,());"),
        ['part.empty'],
        /^1 of the 2 parts/,
      ],
    ],
  );
});
