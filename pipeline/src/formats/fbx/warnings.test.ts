import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Document } from '@gltf-transform/core';
import {
  encodeBinaryFbx,
  type FbxNodeInput,
  fbxInt64,
  fbxString,
} from '../../../testing/formats/binary-fbx.ts';
import { makeFbx } from '../../../testing/formats/fbx.ts';
import { testImportWarnings } from '../../../testing/formats/import-warnings.ts';
import { collectFbxWarnings } from './warnings.ts';

const withObjects = (objects: string, connections: string) => (text: string) =>
  text.replace('}\nConnections:  {\n', `${objects}}\nConnections:  {\n${connections}`);
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

describe('FBX warnings', () => {
  testImportWarnings(
    'fbx',
    () => makeFbx({ spinning: true }),
    [],
    [
      ['a bump map', withTexture('Bump'), ['material.ignored'], /bump textures/],
      [
        'a bump map with the name that Maya uses',
        withTexture('Maya|normalCamera'),
        ['material.ignored'],
        /bump textures/,
      ],
      ['a gloss map', withTexture('ShininessExponent'), ['material.ignored'], /gloss textures/],
      ['a transparency map', withTexture('TransparentColor'), ['material.ignored'], /transparency/],
      ['a camera', withNodeAttribute('Camera'), ['cameras.ignored']],
      ['a light', withNodeAttribute('Light'), ['lights.ignored']],
      [
        'animated morph target weights',
        withObjects(
          '\tAnimationCurveNode: 602, "AnimCurveNode::DeformPercent", "" {\n\t}\n',
          '\tC: "OP",602,802, "DeformPercent"\n',
        ),
        ['animation.ignored'],
        /weights/,
      ],
      [
        'a curve',
        withObjects('\tGeometry: 900, "Geometry::C", "NurbsCurve" {\n\t}\n', '\tC: "OO",900,201\n'),
        ['lines.ignored'],
      ],
    ],
  );

  it('gives the same warnings for a binary file', () => {
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
        ['material.ignored', 'The FBX file has bump textures, which were ignored.'],
        ['cameras.ignored', 'The FBX file has cameras, which were ignored.'],
      ],
    );
  });
});
