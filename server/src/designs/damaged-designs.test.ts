import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Design, Revision } from '@cloche/contract/design';
import { makeBox } from '@cloche/pipeline/testing/models';
import { uploadRevision } from '../../testing/design-requests.ts';
import { openTestServer } from '../../testing/harness.ts';
import {
  HOST_HEADER,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { connectToServerDatabase } from '../../testing/test-database.ts';

/** Values that the service never writes, by table and column. */
const damages: [table: 'design' | 'revision', column: string, value: string | null][] = [
  ['design', 'created_at', 'yesterday'],
  ['design', 'updated_at', '+010000-01-01T00:00:00.000Z'],
  ['revision', 'stats', '{"triangles":'],
  ['revision', 'stats', '{}'],
  ['revision', 'report', '[]'],
  ['revision', 'detected_format', 'glb'],
];

/** Three designs. The row of the second, or of its revision, is damaged in the database file. */
async function openDamaged(t: TestContext, table: string, column: string, value: string | null) {
  const first = await openTestServer(t);
  const designs: Design[] = [];
  for (const name of ['chair', 'damaged', 'table']) {
    designs.push(await uploadTestDesign(first, name));
    first.advanceTime(1000);
  }
  const [chair, damaged, desk] = designs as [Design, Design, Design];
  const key = table === 'design' ? 'id' : 'design_id';
  await connectToServerDatabase(t, first).all(
    `UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`,
    value,
    damaged.id,
  );
  // A service that has the design in no cache.
  await first.app.close();
  const second = await openTestServer(t, { dataDirectory: first.dataDirectory });
  return { service: { ...second, token: first.token }, chair, damaged, desk };
}

for (const [table, column, value] of damages) {
  test(`the ${column} ${value} of a ${table} hides no other design, and the design can be deleted`, async (t) => {
    const { service, chair, damaged, desk } = await openDamaged(t, table, column, value);
    for (const limit of [1, 2, 50]) {
      const items: string[] = [];
      const unreadable: object[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const url: string = `/v1/designs?limit=${limit}${cursor && `&cursor=${cursor}`}`;
        const response = await sendRequest(service, 'GET', url);
        assert.equal(response.statusCode, 200, response.body);
        const page = response.json();
        items.push(...page.items.map(({ id }: Design) => id));
        unreadable.push(...page.unreadable);
        cursor = page.nextCursor;
      }
      assert.deepEqual(items.sort(), [chair.id, desk.id].sort());
      const detail = `The design ${damaged.id} is damaged in the database.`;
      assert.deepEqual(unreadable, [{ id: damaged.id, name: 'damaged', detail }]);
    }
    const read = await sendRequest(service, 'GET', `/v1/designs/${damaged.id}`);
    assert.equal(read.statusCode, 500);
    assert.equal(read.json().code, 'server.damaged');

    const { token } = await issueToken(service);
    const view = await service.app.inject({
      url: `/embed/iframe/v1/${damaged.id}?token=${token}`,
      headers: { ...HOST_HEADER, 'sec-fetch-dest': 'iframe', referer: `${SHOP_ORIGIN}/` },
    });
    assert.equal(view.statusCode, 500);
    assert.ok(view.body.includes('server.damaged'));
    assert.ok(!view.body.includes(damaged.id));

    const deletion = await sendRequest(service, 'DELETE', `/v1/designs/${damaged.id}`);
    assert.equal(deletion.statusCode, 204, deletion.body);
    assert.deepEqual((await sendRequest(service, 'GET', '/v1/designs')).json().unreadable, []);
  });
}

test('403: a token that is limited to another design cannot delete a damaged one', async (t) => {
  const { service, chair, damaged } = await openDamaged(t, 'design', 'created_at', 'yesterday');
  const scope = { capabilities: ['write'], origins: [], designs: [chair.id] };
  const limited = { ...service, token: (await issueToken(service, scope)).token };
  const response = await sendRequest(limited, 'DELETE', `/v1/designs/${damaged.id}`);
  assert.equal(response.json().code, 'token.design');
  const { unreadable } = (await sendRequest(service, 'GET', '/v1/designs')).json();
  assert.equal(unreadable.length, 1, 'not deleted');
});

test('200: a damaged revision hides no other revision', async (t) => {
  const service = await openTestServer(t);
  const { id } = await uploadTestDesign(service);
  for (const name of ['second', 'third']) await uploadRevision(service, id, makeBox({ name }));
  const database = connectToServerDatabase(t, service);
  for (const [column, value] of [
    ['detected_format', '{'],
    ['detected_format', '{}'],
    ['created_at', 'yesterday'],
  ] as const) {
    const update = (text: string) =>
      database.all(
        `UPDATE revision SET ${column} = ? WHERE design_id = ? AND number = 2`,
        text,
        id,
      );
    const { before } = (await database.get(
      `SELECT ${column} AS before FROM revision WHERE design_id = ? AND number = 2`,
      id,
    )) as { before: string };
    await update(value);
    const response = await sendRequest(service, 'GET', `/v1/designs/${id}/revisions`);
    assert.equal(response.statusCode, 200, response.body);
    const { items, unreadable } = response.json();
    assert.deepEqual(
      items.map(({ number }: Revision) => number),
      [3, 1],
    );
    const detail = 'The revision 2 is damaged in the database.';
    assert.deepEqual(unreadable, [{ id: '2', name: 'Revision 2', detail }]);
    await update(before);
  }
});
