import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { packGlb } from '../../testing/box-models.ts';
import { ViewerError, type ViewerErrorCode } from '../viewer-error.ts';
import { assertSupported, type GltfJson, parseGltfJson } from './gltf-json.ts';

const asset = { version: '2.0' };

function isViewerError(kind: ViewerErrorCode, words = /./): (error: unknown) => boolean {
  return (error) =>
    error instanceof ViewerError && error.code === kind && words.test(error.message);
}

describe('reading the JSON of a file', () => {
  it('of a GLB', () => {
    const { buffer } = packGlb({ asset, extensionsUsed: ['KHR_x'] }, new Uint8Array(8));
    assert.deepEqual(parseGltfJson(buffer).extensionsUsed, ['KHR_x']);
  });

  it('of a glTF', () => {
    const { buffer } = new TextEncoder().encode(JSON.stringify({ asset }));
    assert.deepEqual(parseGltfJson(buffer), { asset });
  });

  const glb = packGlb({ asset });
  const otherChunk = packGlb({ asset });
  otherChunk.set([1, 2, 3, 4], 16);
  const tooLong = packGlb({ asset });
  tooLong.set([255, 255, 255, 127], 12);
  const damaged: [what: string, file: Uint8Array<ArrayBuffer>][] = [
    ['nothing', new Uint8Array()],
    ['a picture', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0])],
    ['a GLB cut off in its header', glb.slice(0, 10)],
    ['a GLB cut off in its JSON', glb.slice(0, 30)],
    ['a chunk that is not JSON', otherChunk],
    ['a chunk longer than the file', tooLong],
    ['glTF 1', packGlb({ asset: { version: '1.0' } })],
    ['JSON that is no glTF', new TextEncoder().encode('[1]')],
    ['JSON that is null', new TextEncoder().encode('null')],
  ];
  for (const [what, file] of damaged) {
    it(`refuses ${what}`, () => {
      assert.throws(() => parseGltfJson(file.slice().buffer), isViewerError('invalid-file'));
    });
  }
});

describe('what a file may need', () => {
  const supported = new Set(['KHR_known']);
  const rows: [why: string, gltf: GltfJson, verdict: ViewerErrorCode | 'fine', words?: RegExp][] = [
    ['nothing special', { asset }, 'fine'],
    ['what we read', { asset, extensionsRequired: ['KHR_known'] }, 'fine'],
    ['uses without need', { asset, extensionsUsed: ['KHR_other'] }, 'fine'],
    ['what we do not read', { asset, extensionsRequired: ['X_y'] }, 'unsupported-extension', /X_y/],
    ['bytes in place', { asset, buffers: [{ uri: 'data:;base64,AA' }, {}] }, 'fine'],
    ['another file', { asset, buffers: [{ uri: 'chair.bin' }] }, 'missing-resource', /chair\.bin/],
    [
      'a picture elsewhere',
      { asset, images: [{ uri: 'https://x.example/a.png' }] },
      'missing-resource',
    ],
  ];
  for (const [why, gltf, verdict, words] of rows) {
    it(`${why}: ${verdict}`, () => {
      const act = () => assertSupported(gltf, supported);
      if (verdict === 'fine') act();
      else assert.throws(act, isViewerError(verdict, words));
    });
  }
});
