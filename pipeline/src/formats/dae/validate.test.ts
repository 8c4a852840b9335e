import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeDae } from '../../../testing/formats/dae.ts';
import { createBufferReader } from '../../validation/byte-reader.ts';
import { VALIDATION_LIMITS, type ValidationLimits } from '../../validation/limits.ts';
import { validateDae } from './validate.ts';

const POLYLIST = /<polylist[\s\S]*<\/polylist>/;
const INPUTS =
  '<input semantic="VERTEX" source="#vertices" offset="0"/><input semantic="TEXCOORD" source="#map" offset="1"/>';
const INSTANCE = /<instance_geometry[\s\S]*<\/instance_geometry>/;

function withPrimitive(name: string, content: string, count = 1): string {
  const primitive = `<${name} count="${count}">${INPUTS}${content}</${name}>`;
  return makeDae().toString().replace(POLYLIST, primitive);
}

function withInstances(dae: string, count: number): string {
  return dae.replace(INSTANCE, (instance) => instance.repeat(count));
}

function validate(dae: string, limits: Partial<ValidationLimits> = {}) {
  return validateDae(createBufferReader(Buffer.from(dae)), { ...VALIDATION_LIMITS, ...limits });
}

/** The indices of so many corners, with two inputs. */
const corners = (count: number) => '0 0 '.repeat(count);

describe('the triangles of a COLLADA', () => {
  const files: [name: string, dae: string, triangles: number][] = [
    ['polygons in a list', makeDae().toString(), 12],
    ['three instances of a geometry', withInstances(makeDae().toString(), 3), 36],
    ['triangles', withPrimitive('triangles', `<p>${corners(9)}</p>`, 3), 3],
    ['polygons', withPrimitive('polygons', `<p>${corners(4)}</p><p>${corners(5)}</p>`, 2), 5],
    ['a strip', withPrimitive('tristrips', `<p>${corners(7)}</p>`), 5],
    ['a fan', withPrimitive('trifans', `<p>${corners(7)}</p>`), 5],
    [
      'a comment between the numbers',
      makeDae().toString().replace('<vcount>4 4', '<vcount>4 <!-- 9 9 -->4'),
      12,
    ],
    [
      'an instance of a deformed geometry',
      makeDae()
        .toString()
        .replace(
          '</library_geometries>',
          '</library_geometries><library_controllers><controller id="c"><skin source="#cube-mesh"/></controller></library_controllers>',
        )
        .replaceAll('instance_geometry', 'instance_controller')
        .replace('url="#cube-mesh"', 'url="#c"'),
      12,
    ],
    [
      'an instance in a node that is used twice',
      makeDae()
        .toString()
        .replace('</visual_scene>', '<instance_node url="#node-1"/></visual_scene>'),
      24,
    ],
  ];
  for (const [name, dae, triangles] of files) {
    it(`are counted: ${name}`, async () => {
      await validate(dae, { triangles });
      await assert.rejects(validate(dae, { triangles: triangles - 1 }), {
        code: 'design.too-complex',
        reason: 'triangles',
      });
    });
  }
});
