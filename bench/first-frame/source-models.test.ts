import assert from 'node:assert/strict';
import { it } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { makeStone } from './models/stone.ts';
import { hasTextures } from './source-models.ts';

it('a GLB file with images has textures; one without, and a file of another format, has none', async () => {
  const stone = await makeStone({ rows: 5, columns: 8, textureSize: 16, textures: 1 });
  assert.equal(hasTextures(stone), true);
  assert.equal(hasTextures(makeBox()), false);
  assert.equal(hasTextures(Buffer.from('ISO-10303-21;\nHEADER;')), false);
});
