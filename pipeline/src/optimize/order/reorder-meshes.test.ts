import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MeshoptEncoder } from 'meshoptimizer';
import { createGeometryDocument, createGrid } from '../../../testing/draco-models.ts';
import { simplifyMeshes } from '../simplify-meshes.ts';
import { reorderMeshes } from './reorder-meshes.ts';

const createSheet = (columns: number, rows: number) =>
  createGeometryDocument(createGrid([columns, rows], (u, v) => [u, u * v, v]));

it('orders are compared for up to 2,000,000 triangles: more would need too much memory', async (t) => {
  const encode = t.mock.method(MeshoptEncoder, 'encodeGltfBuffer');
  await reorderMeshes(await createSheet(10, 10));
  assert.equal(encode.mock.callCount(), 3);
  const large = await createSheet(1000, 1001);
  await reorderMeshes(large);
  assert.equal(encode.mock.callCount(), 3);
  // Simplified without a comparison; then it is small enough for one of its orders.
  await simplifyMeshes(large, 3_000_000);
  assert.equal(encode.mock.callCount(), 6);
});
