import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Document } from '@gltf-transform/core';
import { makeDae } from '../../../../testing/formats/dae.ts';
import { makeFbx } from '../../../../testing/formats/fbx.ts';
import { makeBinaryFbx } from '../../../../testing/formats/fbx-binary.ts';
import { importFile } from '../../../../testing/formats/import-file.ts';
import { tells } from '../../../../testing/formats/tells.ts';
import { tellFbx } from './fbx-unread.ts';

const objects = (things: string, links: string) => (text: string) =>
  text.replace('}\nConnections:  {\n', `${things}}\nConnections:  {\n${links}`);
const picture = (channel: string) =>
  objects(
    '\tTexture: 600, "Texture::p", "" {\n\t\tFileName: "p.png"\n\t}\n',
    `\tC: "OP",600,300, "${channel}"\n`,
  );
const attribute = (kind: string) =>
  objects(
    `\tNodeAttribute: 700, "NodeAttribute::N", "${kind}" {\n\t\tTypeFlags: "${kind}"\n\t}\n\tModel: 701, "Model::N", "${kind}" {\n\t\tVersion: 232\n\t}\n`,
    '\tC: "OO",701,0\n\tC: "OO",700,701\n',
  );

describe('FBX, what the library does not read', () => {
  tells(
    'fbx',
    () => makeFbx({ spinning: true }),
    [],
    [
      ['a bump map', picture('Bump'), ['material.unread'], /of bumps/],
      [
        'a bump map as Maya calls it',
        picture('Maya|normalCamera'),
        ['material.unread'],
        /of bumps/,
      ],
      ['a picture of gloss', picture('ShininessExponent'), ['material.unread'], /of gloss/],
      [
        'a picture of transparency',
        picture('TransparentColor'),
        ['material.unread'],
        /transparency/,
      ],
      ['a camera', attribute('Camera'), ['cameras.unread']],
      ['a light', attribute('Light'), ['lights.unread']],
      [
        'weights that are animated',
        objects(
          '\tAnimationCurveNode: 602, "AnimCurveNode::DeformPercent", "" {\n\t}\n',
          '\tC: "OP",602,802, "DeformPercent"\n',
        ),
        ['animation.unread'],
        /weights of shapes/,
      ],
      [
        'a curve',
        objects('\tGeometry: 900, "Geometry::C", "NurbsCurve" {\n\t}\n', '\tC: "OO",900,201\n'),
        ['lines.unread'],
      ],
    ],
  );

  it('tells the same of a binary file', () => {
    const fbx = makeBinaryFbx([
      ['Definitions', [], [['P', ['Bump', 'Texture']]]],
      [
        'Objects',
        [],
        [
          ['NodeAttribute', [7, 'Cam', 'Camera']],
          ['Texture', [6, 'Wood', '']],
        ],
      ],
      [
        'Connections',
        [],
        [
          ['C', ['OP', 6, 3, 'Bump']],
          ['C', ['OP', 6, 3, 'DiffuseColor']],
          ['C', ['OP', 5, 3, 'SpecularColor']],
        ],
      ],
    ]);
    assert.deepEqual(
      tellFbx(fbx, new Document()).map(({ code, message }) => [code, message]),
      [
        ['material.unread', 'The FBX has pictures of bumps, which were not read.'],
        ['cameras.unread', 'The FBX has cameras, which were not read.'],
      ],
    );
  });
});

const effect = (slot: string) => (text: string) =>
  text
    .replace('<lambert><diffuse>', `<phong><${slot}>`)
    .replace('</diffuse></lambert>', `</${slot}></phong>`);
const instance = (kind: string, library: string) => (text: string) =>
  text
    .replace('  <library_visual_scenes>', `${library}  <library_visual_scenes>`)
    .replace(
      '<node id="node-1"',
      `<node id="n2"><instance_${kind} url="#it"/></node><node id="node-1"`,
    );
const LAMP =
  '<library_lights><light id="it"><technique_common><directional><color>1 1 1</color></directional></technique_common></light></library_lights>';
const EYE =
  '<library_cameras><camera id="it"><optics><technique_common><perspective><xfov>40</xfov><znear>0.1</znear><zfar>10</zfar></perspective></technique_common></optics></camera></library_cameras>';

describe('COLLADA, what the library does not read', () => {
  tells(
    'dae',
    () => makeDae({ moving: true }),
    [],
    [
      ['a light', instance('light', LAMP), ['lights.unread']],
      ['a camera', instance('camera', EYE), ['cameras.unread']],
      [
        'no light that stands nowhere',
        (text) => text.replace('  <library_vis', `${LAMP}  <library_vis`),
        [],
      ],
      [
        'a curve',
        (text) =>
          text.replace(
            '</library_geometries>',
            '<geometry id="c"><spline/></geometry></library_geometries>',
          ),
        ['lines.unread'],
      ],
    ],
  );
  tells('dae', () => makeDae({ texture: 'a.png' }), ['texture.missing'], []);

  for (const [slot, kind] of [
    ['specular', /gloss/],
    ['transparent', /transparency/],
  ] as const) {
    it(`tells of a picture of what is ${slot}`, async () => {
      const dae = effect(slot)(makeDae({ texture: 'a.png' }).toString());
      const { warnings } = await importFile(Buffer.from(dae), 'dae');
      assert.deepEqual(
        warnings.map(({ code }) => code),
        ['material.unread'],
      );
      assert.match(warnings[0]?.message ?? '', kind);
    });
  }
});
