import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Document } from '@gltf-transform/core';
import { setAssetExtra } from './asset-extras.ts';

it('a member is in asset.extras, next to what was there, and replaces that of another file', () => {
  const document = new Document();
  const asset = document.getRoot().getAsset();
  asset.extras = { author: 'Someone', clocheContactShadow: 'of another file' };
  setAssetExtra(document, 'clocheContactShadow', { y: 1 });
  assert.deepEqual(asset.extras, { author: 'Someone', clocheContactShadow: { y: 1 } });
  setAssetExtra(document, 'clocheContactShadow', undefined);
  assert.deepEqual(asset.extras, { author: 'Someone' });
  for (const other of ['text', 7, [1, 2]]) {
    asset.extras = other as never;
    setAssetExtra(document, 'clocheContactShadow', { y: 1 });
    assert.deepEqual(asset.extras, { clocheContactShadow: { y: 1 } });
  }
  delete asset.extras;
  setAssetExtra(document, 'clocheContactShadow', undefined);
  assert.ok(!('extras' in asset));
});
