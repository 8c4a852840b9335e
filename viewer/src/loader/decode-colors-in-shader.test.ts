import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  CompressedTexture,
  DataTexture,
  Mesh,
  MeshStandardMaterial,
  RedFormat,
  Texture,
  type WebGLRenderer,
} from 'three';
import { decodeColorsInShader } from './decode-colors-in-shader.ts';

const SOFTWARE_RENDERER = { capabilities: { createMipmaps() {} } } as unknown as WebGLRenderer;

function getFormat(map: Texture, renderer = SOFTWARE_RENDERER): string | null {
  const mesh = new Mesh(undefined, new MeshStandardMaterial({ map }));
  decodeColorsInShader(mesh, new Set(), renderer);
  return map.internalFormat;
}

it('changes the format of images only', () => {
  assert.equal(getFormat(new Texture()), 'RGBA8');
  assert.equal(getFormat(new DataTexture(new Uint8Array(1), 1, 1, RedFormat)), null);
  assert.equal(getFormat(new CompressedTexture([], 1, 1)), null);
});

it('changes nothing with a GPU', () => {
  assert.equal(getFormat(new Texture(), { capabilities: {} } as WebGLRenderer), null);
});
