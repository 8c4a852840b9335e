import assert from 'node:assert/strict';
import { it } from 'node:test';
import { getOpacity } from './opacity.ts';

it('the opacity of an MTL material is what the program that wrote it means', () => {
  const cases: [program: string, d: number | undefined, tr: number | undefined, opacity: number][] =
    [
      ['without statements', undefined, undefined, 1],
      ['Blender: half transparent', 0.5, undefined, 0.5],
      ['3ds Max: opaque', 1, 0, 1],
      ['3ds Max: a quarter visible', 0.25, 0.75, 0.25],
      ['MeshLab, openMVS, OpenDroneMap: opaque', undefined, 1, 1],
      ['only Tr 0', undefined, 0, 1],
      ['only Tr between 0 and 1', undefined, 0.75, 0.25],
      ['d takes precedence', 0.75, 1, 0.75],
      ['out of range', 7, undefined, 1],
      ['Tr out of range', undefined, -3, 1],
    ];
  for (const [program, d, tr, opacity] of cases) assert.equal(getOpacity(d, tr), opacity, program);
});
