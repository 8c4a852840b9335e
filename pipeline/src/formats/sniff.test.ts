import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeBox } from '../../testing/models.ts';
import { makePng } from '../../testing/png.ts';
import { createFileHead } from '../validation/file-head.ts';
import { sniff } from './sniff.ts';

describe('sniff', () => {
  const binaryStl = Buffer.alloc(84 + 50 * 2);
  binaryStl.writeUInt32LE(2, 80);
  const rows: [kind: string, bytes: Buffer | string][] = [
    ['glb', makeBox()],
    ['zip', 'PK\x03\x04 and more'],
    ['fbx', 'Kaydara FBX Binary  \0\x1a\0'],
    ['obj', '# a comment\nmtllib a.mtl\nv 1 2 3\n'],
    ['stl', 'solid cube\nfacet normal 0 0 1\n'],
    ['stl', binaryStl],
    ['gltf', '{"asset":{"version":"2.0"}}'],
    ['png', makePng(1, 1, [0, 0, 0])],
    ['step', 'ISO-10303-21;\nHEADER;'],
    ['html', '<!doctype html><title>Sign in</title>'],
    ['unknown', 'hello'],
  ];
  for (const [kind, input] of rows) {
    const bytes = Buffer.from(input as string, 'latin1');
    it(`recognizes ${kind}: ${JSON.stringify(bytes.toString('latin1', 0, 20))}`, () => {
      assert.equal(sniff(createFileHead(bytes, bytes.length)).kind, kind);
    });
  }
});
