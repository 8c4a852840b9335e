import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MeshoptEncoder, MeshoptSimplifier } from 'meshoptimizer';
import { createGeometryDocument, createGrid } from '../../testing/draco-models.ts';
import { simplifyMeshes } from './simplify-meshes.ts';

for (const [name, codec] of Object.entries({ MeshoptEncoder, MeshoptSimplifier }))
  it(`waits until ${name} is compiled`, async (t) => {
    await codec.ready;
    const sheet = await createGeometryDocument(createGrid([20, 20], (u, v) => [u, u * v, v]));
    const compiled = Promise.withResolvers<void>();
    t.mock.property(codec, 'ready', compiled.promise);
    const encode = t.mock.method(MeshoptEncoder, 'encodeGltfBuffer');
    const simplify = t.mock.method(MeshoptSimplifier, 'simplifyWithAttributes');
    const simplified = simplifyMeshes(sheet, 100_000);
    await new Promise(setImmediate);
    assert.deepEqual([encode.mock.callCount(), simplify.mock.callCount()], [0, 0]);
    compiled.resolve();
    await simplified;
    assert.ok(encode.mock.callCount() > 0 && simplify.mock.callCount() > 0);
  });
