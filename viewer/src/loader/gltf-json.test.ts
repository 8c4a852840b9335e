import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { packGlb } from '../../testing/box-models.ts';
import { ViewerError, type ViewerErrorCode } from '../viewer-error.ts';
import { assertSupported, type GltfJson, parseGltfJson } from './gltf-json.ts';

const asset = { version: '2.0' };

function isViewerError(code: ViewerErrorCode, message = /./): (error: unknown) => boolean {
  return (error) =>
    error instanceof ViewerError && error.code === code && message.test(error.advice);
}

describe('parseGltfJson', () => {
  it('reads the JSON chunk of a GLB', () => {
    const { buffer } = packGlb({ asset, extensionsUsed: ['KHR_x'] }, new Uint8Array(8));
    assert.deepEqual(parseGltfJson(buffer).extensionsUsed, ['KHR_x']);
  });

  const glb = packGlb({ asset });
  const otherChunk = packGlb({ asset });
  otherChunk.set([1, 2, 3, 4], 16);
  const tooLong = packGlb({ asset });
  tooLong.set([255, 255, 255, 127], 12);
  const invalid: [name: string, file: Uint8Array<ArrayBuffer>][] = [
    ['an empty file', new Uint8Array()],
    ['an image', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0])],
    ['a GLB cut off in its header', glb.slice(0, 10)],
    ['a GLB cut off in its JSON', glb.slice(0, 30)],
    ['a chunk that is not JSON', otherChunk],
    ['a chunk longer than the file', tooLong],
    ['glTF 1', packGlb({ asset: { version: '1.0' } })],
    ['JSON that is not glTF', packGlb([1] as never)],
    ['JSON that is null', packGlb(null as never)],
    ['glTF that is not a GLB', new TextEncoder().encode(JSON.stringify({ asset }))],
  ];
  for (const [name, file] of invalid) {
    it(`throws invalid-file for ${name}`, () => {
      assert.throws(() => parseGltfJson(file.slice().buffer), isViewerError('invalid-file'));
    });
  }
});

describe('assertSupported', () => {
  const supported = new Set(['KHR_known']);
  const cases: [
    name: string,
    gltf: GltfJson,
    result: ViewerErrorCode | 'supported',
    message?: RegExp,
  ][] = [
    ['no requirements', { asset }, 'supported'],
    ['a supported extension', { asset, extensionsRequired: ['KHR_known'] }, 'supported'],
    ['an optional extension', { asset, extensionsUsed: ['KHR_other'] }, 'supported'],
    [
      'an unsupported extension',
      { asset, extensionsRequired: ['X_y'] },
      'unsupported-extension',
      /X_y/,
    ],
    ['a buffer in the GLB', { asset, buffers: [{}] }, 'supported'],
    ['a data URI', { asset, buffers: [{ uri: 'data:;base64,AA' }] }, 'missing-resource'],
    [
      'a buffer in another file',
      { asset, buffers: [{ uri: 'chair.bin' }] },
      'missing-resource',
      /chair\.bin/,
    ],
    [
      'a long URI with line breaks, of which only the start is shown,',
      { asset, buffers: [{ uri: `a\n\u202eb${'x'.repeat(1e6)}` }] },
      'missing-resource',
      /“a bx{70,80}…”/,
    ],
    [
      'an image on another server',
      { asset, images: [{ uri: 'https://x.example/a.png' }] },
      'missing-resource',
    ],
  ];
  for (const [name, gltf, result, message] of cases) {
    it(`${name}: ${result}`, () => {
      const check = () => assertSupported(gltf, supported);
      if (result === 'supported') check();
      else assert.throws(check, isViewerError(result, message));
    });
  }
});
