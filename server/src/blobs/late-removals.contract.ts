import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { type HeldRequest, openHoldingProxy } from '../../testing/holding-proxy.ts';
import type { Database } from '../database/database.ts';
import { isProblem, listRefs, readBlob, storeBlob } from './blob-store.contract.ts';
import type { BlobRef, BlobStore } from './blob-store.ts';

/** The stores of one bucket, which no other one uses. They may be the same. */
export type LateRemovalStores = {
  /** The one that sends its requests to the endpoint that was given. */
  remover: BlobStore;
  /** The one that stores the same bytes again. */
  storer: BlobStore;
  database: Database;
  listKeys(): Promise<string[]>;
  /** Ends the time for which stored blobs are retained. */
  endRetention(): void;
};

/** The tests of stores whose requests to delete an object may be executed later than expected. */
export function lateRemovalsContract(
  name: string,
  getEndpoint: () => string,
  open: (t: TestContext, endpoint: string) => Promise<LateRemovalStores>,
): void {
  const openWithProxy = async (t: TestContext) => {
    const proxy = await openHoldingProxy(t, getEndpoint());
    const stores = await open(t, proxy.origin);
    const ref = await storeBlob(stores.storer, 'hello');
    stores.endRetention();
    const holding = proxy.holdNext('DELETE');
    return { ...stores, ref, holding };
  };
  type Opened = Awaited<ReturnType<typeof openWithProxy>>;

  /** Stores the same bytes again, and only then lets the server execute the deletion. */
  const storeBeforeRelease = async ({ storer, listKeys, ref }: Opened, held: HeldRequest) => {
    await storeBlob(storer, 'hello');
    assert.equal(await readBlob(storer, ref), 'hello');
    assert.equal(await held.release(), 204);
    assert.deepEqual(await listKeys(), [`sha256/${ref.slice(0, 2)}/${ref}.1`]);
    assert.equal(await readBlob(storer, ref), 'hello');
    assert.equal(await readBlob(storer, ref, { start: 1, end: 3 }), 'ell');
    assert.deepEqual(await listRefs(storer), [ref]);
  };

  const countRemovals = async ({ database, ref }: { database: Database; ref: BlobRef }) => {
    const query = database.selectFrom('blob_removal').select('id').where('blob', '=', ref);
    return (await query.execute()).length;
  };

  it(`${name}: a DELETE that is executed after the bytes were stored again does not delete them`, async (t) => {
    const opened = await openWithProxy(t);
    const { remover, storer, ref, holding, endRetention, listKeys } = opened;
    const removing = assert.rejects(remover.remove(ref), isProblem('server.unavailable'));
    const held = await holding;
    await removing;
    await storeBeforeRelease(opened, held);
    endRetention();
    assert.equal(await storer.remove(ref), true);
    assert.deepEqual(await listKeys(), []);
    assert.equal(await storer.open(ref), undefined);
    assert.equal(await countRemovals(opened), 1, 'that of the DELETE without an answer');
  });

  it(`${name}: a DELETE that was repeated, and of which only the second one was answered, neither`, async (t) => {
    const opened = await openWithProxy(t);
    const removing = opened.remover.remove(opened.ref);
    const held = await opened.holding;
    held.disconnect();
    assert.equal(await removing, true);
    assert.deepEqual(await opened.listKeys(), []);
    await storeBeforeRelease(opened, held);
  });

  it(`${name}: bytes that are stored while their DELETE has no answer yet are not deleted`, async (t) => {
    const opened = await openWithProxy(t);
    const removing = opened.remover.remove(opened.ref).catch(() => {});
    await storeBeforeRelease(opened, await opened.holding);
    await removing;
    assert.equal(await readBlob(opened.storer, opened.ref), 'hello');
  });

  it(`${name}: a DELETE that was answered leaves no row, and the plain name is used again`, async (t) => {
    const stores = await open(t, getEndpoint());
    const ref = await storeBlob(stores.storer, 'hello');
    stores.endRetention();
    assert.equal(await stores.remover.remove(ref), true);
    assert.equal(await countRemovals({ ...stores, ref }), 0);
    await storeBlob(stores.storer, 'hello');
    assert.deepEqual(await stores.listKeys(), [`sha256/${ref.slice(0, 2)}/${ref}`]);
  });
}
