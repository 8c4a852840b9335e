import { describe } from 'node:test';
import { testImportWarnings } from '../../../testing/formats/import-warnings.ts';
import { makeStep } from '../../../testing/formats/step.ts';

const withEntity = (entity: string) => (text: string) =>
  text.replace(/ENDSEC;\nEND-ISO/, `${entity}\nENDSEC;\nEND-ISO`);

describe('STEP warnings', () => {
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
        ['annotations.ignored'],
      ],
      ['hidden parts', withEntity('#9001=INVISIBILITY((#1));'), ['hidden.shown']],
      [
        'transparency',
        withEntity('#9001 = SURFACE_STYLE_TRANSPARENT (0.5);'),
        ['transparency.ignored'],
      ],
      ['curves', withEntity("#9001=GEOMETRIC_CURVE_SET('',(#1));"), ['lines.ignored']],
      [
        'nothing about a single layer',
        withEntity("#9001=PRESENTATION_LAYER_ASSIGNMENT('1','',(#1));"),
        [],
      ],
      [
        'layers',
        withEntity(
          "#9001=PRESENTATION_LAYER_ASSIGNMENT('1','',(#1));\n#9002=PRESENTATION_LAYER_ASSIGNMENT('2','',(#2));",
        ),
        ['layers.ignored'],
      ],
    ],
  );
});
