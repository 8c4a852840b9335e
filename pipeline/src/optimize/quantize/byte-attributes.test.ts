import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Document } from '@gltf-transform/core';
import { addSheet } from '../../../testing/wavy-sheet.ts';
import { createGltfIo } from '../../formats/gltf/gltf-io.ts';
import { quantizeByteAttributes } from './byte-attributes.ts';

it('the normals of a sparse morph target stay', async () => {
  const document = new Document();
  const { primitive } = addSheet(document, { side: 4 });
  const count = primitive.getAttribute('POSITION')?.getCount() ?? 0;
  const deltas = new Float32Array(3 * count);
  deltas.set([0.5, -0.25, 0], 6);
  const [buffer] = document.getRoot().listBuffers();
  const accessor = document
    .createAccessor()
    .setType('VEC3')
    .setArray(deltas)
    .setSparse(true)
    .setBuffer(buffer ?? null);
  primitive.addTarget(document.createPrimitiveTarget().setAttribute('NORMAL', accessor));
  quantizeByteAttributes(document);
  const io = await createGltfIo();
  const after = await io.readBinary(await io.writeBinary(document));
  const [mesh] = after.getRoot().listMeshes();
  const normals = mesh?.listPrimitives()[0]?.listTargets()[0]?.getAttribute('NORMAL');
  const [x = 0, y = 0, z = 0] = normals?.getElement<number[]>(2, []) ?? [];
  for (const [value, expected] of [
    [x, 0.5],
    [y, -0.25],
    [z, 0],
  ] as const)
    assert.ok(Math.abs(value - expected) < 0.01, `${value}`);
});
