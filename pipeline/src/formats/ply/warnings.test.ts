import { describe } from 'node:test';
import { testImportWarnings } from '../../../testing/formats/import-warnings.ts';
import { makePly } from '../../../testing/formats/ply.ts';

const withVertexProperty = (name: string) => (text: string) =>
  text
    .replace('property uchar blue\n', `property uchar blue\nproperty float ${name}\n`)
    .replaceAll(/ 255\n/g, ' 255 1\n');

const withFaceColor = (text: string) =>
  text
    .replace('vertex_indices\n', 'vertex_indices\nproperty uchar red\n')
    .replaceAll(/^4 .*$/gm, '$& 9');

const withEdge = (text: string) =>
  `${text.replace('end_header', 'element edge 1\nproperty int vertex1\nend_header')}0\n`;

describe('PLY warnings', () => {
  testImportWarnings(
    'ply',
    makePly,
    ['units.assumed'],
    [
      ['vertex properties', withVertexProperty('quality'), ['properties.ignored'], /"quality"/],
      ['no flags', withVertexProperty('flags'), []],
      ['colors of faces', withFaceColor, ['properties.ignored'], /"red of face"/],
      ['edges', withEdge, ['properties.ignored'], /"edge"/],
    ],
  );
});
