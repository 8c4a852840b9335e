import { describe } from 'node:test';
import { testImportWarnings } from '../../../testing/formats/import-warnings.ts';
import { makeOff } from '../../../testing/formats/off.ts';

describe('OFF warnings', () => {
  testImportWarnings(
    'off',
    makeOff,
    ['units.assumed'],
    [
      ['points', (text) => text.replace('8 6 12', '8 0 0'), ['points.only'], /no polygons/],
      ['lines', (text) => text.replace(/4 0 2 3 1/, '2 0 2'), ['lines.ignored'], /three corners/],
      ['indices of colors', (text) => text.replace('4 0 2 3 1', '$& 7'), ['colors.ignored'], /map/],
      [
        'colors that the keyword does not declare',
        (text) => text.replace('0 0 0', '$& 255 0 0'),
        ['properties.ignored'],
        /more numbers than it declares/,
      ],
    ],
  );
});
