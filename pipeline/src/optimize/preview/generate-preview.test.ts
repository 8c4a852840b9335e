import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Document } from '@gltf-transform/core';
import { KHRTextureBasisu } from '@gltf-transform/extensions';
import { makeKtx2Header } from '../../../testing/ktx2.ts';
import { addSheet } from '../../../testing/wavy-sheet.ts';
import { generatePreview } from './generate-preview.ts';

it('there is no preview of a model whose textures keep more bytes than a preview may have', async () => {
  const document = new Document();
  document.createExtension(KHRTextureBasisu).setRequired(true);
  const { primitive } = addSheet(document, { side: 60 });
  const image = Buffer.concat([makeKtx2Header(1, 16n), Buffer.alloc(150_000)]);
  const texture = document
    .createTexture()
    .setImage(new Uint8Array(image))
    .setMimeType('image/ktx2');
  primitive.setMaterial(document.createMaterial().setBaseColorTexture(texture));
  assert.equal(await generatePreview(document), undefined);
});
