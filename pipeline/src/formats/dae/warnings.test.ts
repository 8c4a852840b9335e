import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeDae } from '../../../testing/formats/dae.ts';
import { importFile } from '../../../testing/formats/import-file.ts';
import { testImportWarnings } from '../../../testing/formats/import-warnings.ts';

const withEffect = (slot: string) => (text: string) =>
  text
    .replace('<lambert><diffuse>', `<phong><${slot}>`)
    .replace('</diffuse></lambert>', `</${slot}></phong>`);
const withInstance = (kind: string, library: string) => (text: string) =>
  text
    .replace('  <library_visual_scenes>', `${library}  <library_visual_scenes>`)
    .replace(
      '<node id="node-1"',
      `<node id="n2"><instance_${kind} url="#it"/></node><node id="node-1"`,
    );
const LIGHT =
  '<library_lights><light id="it"><technique_common><directional><color>1 1 1</color></directional></technique_common></light></library_lights>';
const CAMERA =
  '<library_cameras><camera id="it"><optics><technique_common><perspective><xfov>40</xfov><znear>0.1</znear><zfar>10</zfar></perspective></technique_common></optics></camera></library_cameras>';

describe('COLLADA warnings', () => {
  testImportWarnings(
    'dae',
    () => makeDae({ animated: true }),
    [],
    [
      ['a light', withInstance('light', LIGHT), ['lights.ignored']],
      ['a camera', withInstance('camera', CAMERA), ['cameras.ignored']],
      [
        'nothing about a light that no node uses',
        (text) => text.replace('  <library_vis', `${LIGHT}  <library_vis`),
        [],
      ],
      [
        'a curve',
        (text) =>
          text.replace(
            '</library_geometries>',
            '<geometry id="c"><spline/></geometry></library_geometries>',
          ),
        ['lines.ignored'],
      ],
    ],
  );
  testImportWarnings('dae', () => makeDae({ texture: 'a.png' }), ['texture.missing'], []);

  for (const [slot, message] of [
    ['specular', /gloss/],
    ['transparent', /transparency/],
  ] as const) {
    it(`warns of a ${slot} texture`, async () => {
      const dae = withEffect(slot)(makeDae({ texture: 'a.png' }).toString());
      const { warnings } = await importFile(Buffer.from(dae), 'dae');
      assert.deepEqual(
        warnings.map(({ code }) => code),
        ['material.ignored'],
      );
      assert.match(warnings[0]?.message ?? '', message);
    });
  }
});
