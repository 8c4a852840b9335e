import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Texture } from 'three';
import { PendingTextures } from './pending-textures.ts';

const image = { width: 2, height: 2 };

test('all copies of a texture get its image, earlier and later ones', async () => {
  const textures = new PendingTextures();
  const [texture, other] = [textures.add(3), textures.add(4)];
  const earlier = texture.clone();
  assert.deepEqual([texture.version, earlier.version], [0, 0], 'nothing can be uploaded');
  await textures.decode(3, Promise.resolve(new Texture(image as never)));
  const later = earlier.clone();
  for (const each of [texture, earlier, later]) {
    assert.equal(each.image, image);
    assert.ok(each.version > 0, 'it is uploaded');
    assert.equal(textures.indices.get(each), 3);
  }
  assert.deepEqual([other.image, other.version], [null, 0]);
});

test('a texture whose image is damaged remains empty, and neither it nor a copy is listed', async (t) => {
  const log = t.mock.method(console, 'error', () => undefined);
  const textures = new PendingTextures();
  const texture = textures.add(3);
  const earlier = texture.clone();
  await textures.decode(3, Promise.reject(new Error('not a PNG')));
  const later = earlier.clone();
  assert.equal(textures.indices.size, 0);
  for (const each of [texture, earlier, later]) assert.equal(each.image, null);
  assert.match(String(log.mock.calls[0]?.arguments[1]), /^Error: Image 3 /);
});
