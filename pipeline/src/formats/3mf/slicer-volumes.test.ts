import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importFile } from '../../../testing/formats/import-file.ts';
import { makeZip } from '../../../testing/formats/zip.ts';

/** Ten triangles, each moved along x by its index, as one object that is built once. */
const MODEL = (() => {
  const corners = Array.from({ length: 10 }, (_, x) => [
    `<vertex x="${x}" y="0" z="0"/><vertex x="${x + 1}" y="0" z="0"/><vertex x="${x}" y="1" z="0"/>`,
    `<triangle v1="${3 * x}" v2="${3 * x + 1}" v3="${3 * x + 2}"/>`,
  ]);
  const [vertices, triangles] = [0, 1].map((index) => corners.map((pair) => pair[index]).join(''));
  return `<model unit="meter"><resources><object id="1" type="model"><mesh><vertices>${vertices}</vertices><triangles>${triangles}</triangles></mesh></object></resources><build><item objectid="1"/></build></model>`;
})();

/** As PrusaSlicer writes it. */
const makeVolume = (first: number | string, last: number | string, ...metadata: string[]) =>
  `  <volume firstid="${first}" lastid="${last}">
   <metadata type="volume" key="name" value="Box"/>
${metadata.map((text) => `   <metadata type="volume" ${text}/>\n`).join('')}   <mesh edges_fixed="0" degenerate_facets="0"/>
  </volume>`;

async function importWith(...volumes: string[]) {
  const config = `<?xml version="1.0" encoding="UTF-8"?>
<config>
 <object id="1" instances_count="1">
  <metadata type="object" key="name" value="Part"/>
${volumes.join('\n')}
 </object>
</config>
`;
  const files = { '3D/3dmodel.model': MODEL, 'Metadata/Slic3r_PE_model.config': config };
  return (await importFile(makeZip(files), '3mf')).model;
}

const PART = makeVolume(0, 3, 'key="volume_type" value="ModelPart"');

describe('a 3MF of PrusaSlicer is read without', () => {
  const types = ['ParameterModifier', 'NegativeVolume', 'SupportBlocker', 'SupportEnforcer'];
  const rows = [
    ...types.map((type) => `key="volume_type" value="${type}"`),
    'key="modifier" value="1"',
  ];
  for (const metadata of rows) {
    it(`a volume with ${metadata}`, async () => {
      const model = await importWith(PART, makeVolume(4, 9, metadata));
      assert.partialDeepStrictEqual(model, { triangles: 4, min: [0, 0, -1], max: [4, 0, 0] });
      const last = makeVolume(4, 9, 'key="volume_type" value="ModelPart"');
      assert.equal((await importWith(makeVolume(0, 3, metadata), last)).triangles, 6);
    });
  }

  it('volumes that overlap', async () => {
    const modifier = 'key="volume_type" value="ParameterModifier"';
    assert.equal(
      (await importWith(makeVolume(4, 8, modifier), makeVolume(6, 9, modifier))).triangles,
      4,
    );
  });
});

describe('all triangles of a 3MF of PrusaSlicer are shown', () => {
  const modifier = 'key="volume_type" value="ParameterModifier"';
  const rows: [when: string, volume: string][] = [
    [
      'of parts',
      makeVolume(4, 9, 'key="volume_type" value="ModelPart"', 'key="modifier" value="0"'),
    ],
    ['if all are modifiers', makeVolume(0, 9, modifier)],
    ['if the indices are not numbers', makeVolume('a', '1e99', modifier)],
    ['if the indices are negative', makeVolume(-4, -1, modifier)],
    ['if the indices are beyond the end', makeVolume(10, 4_000_000_000, modifier)],
    ['if the last index is less than the first', makeVolume(8, 2, modifier)],
  ];
  for (const [when, volume] of rows) {
    it(when, async () => assert.equal((await importWith(volume)).triangles, 10));
  }
});
