import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Document } from '@gltf-transform/core';
import {
  encodeBinaryFbx,
  type FbxNodeInput,
  fbxInt64,
  fbxString,
} from '../../../testing/formats/binary-fbx.ts';
import { makeDae } from '../../../testing/formats/dae.ts';
import { makeFbx } from '../../../testing/formats/fbx.ts';
import { importFile } from '../../../testing/formats/import-file.ts';
import { testImportWarnings } from '../../../testing/formats/import-warnings.ts';
import { collectFbxWarnings } from '../fbx/warnings.ts';

const withObjects = (things: string, links: string) => (text: string) =>
  text.replace('}\nConnections:  {\n', `${things}}\nConnections:  {\n${links}`);
const withTexture = (channel: string) =>
  withObjects(
    '\tTexture: 600, "Texture::p", "" {\n\t\tFileName: "p.png"\n\t}\n',
    `\tC: "OP",600,300, "${channel}"\n`,
  );
const withNodeAttribute = (kind: string) =>
  withObjects(
    `\tNodeAttribute: 700, "NodeAttribute::N", "${kind}" {\n\t\tTypeFlags: "${kind}"\n\t}\n\tModel: 701, "Model::N", "${kind}" {\n\t\tVersion: 232\n\t}\n`,
    '\tC: "OO",701,0\n\tC: "OO",700,701\n',
  );

describe('FBX, what the library does not read', () => {
  testImportWarnings(
    'fbx',
    () => makeFbx({ spinning: true }),
    [],
    [
      ['a bump map', withTexture('Bump'), ['material.unread'], /of bumps/],
      [
        'a bump map as Maya calls it',
        withTexture('Maya|normalCamera'),
        ['material.unread'],
        /of bumps/,
      ],
      ['a picture of gloss', withTexture('ShininessExponent'), ['material.unread'], /of gloss/],
      [
        'a picture of transparency',
        withTexture('TransparentColor'),
        ['material.unread'],
        /transparency/,
      ],
      ['a camera', withNodeAttribute('Camera'), ['cameras.unread']],
      ['a light', withNodeAttribute('Light'), ['lights.unread']],
      [
        'weights that are animated',
        withObjects(
          '\tAnimationCurveNode: 602, "AnimCurveNode::DeformPercent", "" {\n\t}\n',
          '\tC: "OP",602,802, "DeformPercent"\n',
        ),
        ['animation.unread'],
        /weights of shapes/,
      ],
      [
        'a curve',
        withObjects('\tGeometry: 900, "Geometry::C", "NurbsCurve" {\n\t}\n', '\tC: "OO",900,201\n'),
        ['lines.unread'],
      ],
    ],
  );

  it('tells the same of a binary file', () => {
    const toNode = (name: string, ...values: (string | number)[]): FbxNodeInput => ({
      name,
      properties: values.map((value) =>
        typeof value === 'number' ? fbxInt64(value) : fbxString(value),
      ),
    });
    const fbx = encodeBinaryFbx([
      { name: 'Definitions', children: [toNode('P', 'Bump', 'Texture')] },
      {
        name: 'Objects',
        children: [toNode('NodeAttribute', 7, 'Cam', 'Camera'), toNode('Texture', 6, 'Wood', '')],
      },
      {
        name: 'Connections',
        children: [
          toNode('C', 'OP', 6, 3, 'Bump'),
          toNode('C', 'OP', 6, 3, 'DiffuseColor'),
          toNode('C', 'OP', 5, 3, 'SpecularColor'),
        ],
      },
    ]);
    assert.deepEqual(
      collectFbxWarnings(fbx, new Document()).map(({ code, message }) => [code, message]),
      [
        ['material.unread', 'The FBX has pictures of bumps, which were not read.'],
        ['cameras.unread', 'The FBX has cameras, which were not read.'],
      ],
    );
  });
});

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

describe('COLLADA, what the library does not read', () => {
  testImportWarnings(
    'dae',
    () => makeDae({ animated: true }),
    [],
    [
      ['a light', withInstance('light', LIGHT), ['lights.unread']],
      ['a camera', withInstance('camera', CAMERA), ['cameras.unread']],
      [
        'no light that stands nowhere',
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
        ['lines.unread'],
      ],
    ],
  );
  testImportWarnings('dae', () => makeDae({ texture: 'a.png' }), ['texture.missing'], []);

  for (const [slot, kind] of [
    ['specular', /gloss/],
    ['transparent', /transparency/],
  ] as const) {
    it(`tells of a picture of what is ${slot}`, async () => {
      const dae = withEffect(slot)(makeDae({ texture: 'a.png' }).toString());
      const { warnings } = await importFile(Buffer.from(dae), 'dae');
      assert.deepEqual(
        warnings.map(({ code }) => code),
        ['material.unread'],
      );
      assert.match(warnings[0]?.message ?? '', kind);
    });
  }
});
