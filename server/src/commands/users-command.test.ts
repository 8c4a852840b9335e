import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { openTestServer, type TestServer } from '../../testing/harness.ts';
import {
  HOST_HEADER,
  issueToken,
  SHOP_ORIGIN,
  sendRequest,
  uploadTestDesign,
} from '../../testing/requests.ts';
import { runInProcess } from '../../testing/run-cloche-server.ts';
import { getDatabaseSettings } from '../../testing/test-database.ts';

/** A running server, and a function that runs `cloche-server users` on its data. */
async function openServerWithCommand(t: TestContext) {
  const service = await openTestServer(t);
  const run = (...args: string[]) => runInProcess(['users', ...args], getDatabaseSettings(service));
  const list = async () =>
    (await run('list', '--json')).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  return { service, run, list };
}

async function createUserToken(service: TestServer, user: string): Promise<string> {
  const args = ['token', '--user', user, '--capabilities', 'read,write,embed'];
  const { stdout, stderr } = await runInProcess(args, getDatabaseSettings(service));
  assert.match(stdout, /^cloche_sk_/, stderr);
  return stdout.trim();
}

const openEmbed = ({ app }: TestServer, id: string, token: string) =>
  app.inject({
    url: `/embed/iframe/v1/${id}?token=${token}`,
    headers: { ...HOST_HEADER, referer: `${SHOP_ORIGIN}/`, 'sec-fetch-dest': 'iframe' },
  });

test('users are added and listed; the first user is an operator', async (t) => {
  const { service, run, list } = await openServerWithCommand(t);
  const { status, stdout, stderr } = await run('add', 'anna');
  assert.equal(status, 0);
  assert.match(stdout, /^usr_\w+\n$/);
  assert.match(stderr, /cloche-server token --user anna/);
  await run('add', 'ben', '--operator');
  await uploadTestDesign(service);
  const [operator, anna, ben] = await list();
  assert.deepEqual(
    [operator.name, operator.operator, operator.designCount, operator.tokenCount],
    ['operator', true, 1, 1],
  );
  assert.deepEqual([anna.id, anna.operator, anna.disabledAt], [stdout.trim(), false, null]);
  assert.equal(ben.operator, true);
  const table = (await run('list')).stdout.split('\n');
  assert.match(table[1] ?? '', /^anna +usr_\w+ +user +active +0 designs +0 tokens$/);
});

test('invalid arguments are refused, and nothing changes', async (t) => {
  const { run, list } = await openServerWithCommand(t);
  await run('add', 'anna');
  const before = await list();
  const rows: [args: string[], status: number, message: RegExp][] = [
    [[], 2, /write one of add, list, disable, enable, quota/],
    [['remove', 'anna'], 2, /write one of add, list, disable, enable/],
    [['toString'], 2, /write one of add/],
    [['add'], 2, /Write one name/],
    [['add', 'a', 'b'], 2, /Write one name/],
    [['add', 'anna'], 1, /there is a user "anna" already/],
    [['add', 'Anna Smith'], 1, /is not a name of a user/],
    [['add', 'usr_1'], 1, /is not a name of a user/],
    [['list', 'anna'], 2, /"anna"/],
    [['disable', 'nobody'], 2, /There is no user "nobody"/],
    [['disable', 'operator'], 2, /the last operator/],
    [['disable', 'anna', '--operator'], 2, /--operator is an option of/],
    [['quota', 'anna'], 2, /--max-mb, --max-designs, or both/],
    [['quota', 'anna', '--max-mb', '1.5'], 2, /--max-mb is "1.5". It must be a whole number/],
    [['quota', 'anna', '--max-designs', '-1'], 2, /max-designs/],
    [['quota', 'anna', '--max-mb', '1000000000'], 2, /from 0 \(no limit\) to 999999999/],
    [['quota', 'nobody', '--max-mb', '1'], 2, /There is no user "nobody"/],
    [['list', '--max-mb', '1'], 2, /are options of "users quota"/],
    [['disable', 'anna', '--force'], 2, /Unknown option '--force'/],
  ];
  for (const [args, status, message] of rows) {
    const result = await run(...args);
    assert.match(result.stderr, message, args.join(' '));
    assert.equal(result.status, status, args.join(' '));
  }
  assert.deepEqual(await list(), before);
});

test('disabling a user stops all its tokens and embeds in the running service; enabling undoes it', async (t) => {
  const { service, run } = await openServerWithCommand(t);
  await run('add', 'anna');
  const anna = { ...service, token: await createUserToken(service, 'anna') };
  const design = await uploadTestDesign(anna);
  const { token: publicToken } = await issueToken(anna);
  const ownDesign = await uploadTestDesign(service);
  const { token: ownPublicToken } = await issueToken(service);
  const getStatuses = async () => {
    const responses = await Promise.all([
      sendRequest(anna, 'GET', '/v1/designs'),
      openEmbed(service, design.id, publicToken),
      sendRequest(service, 'GET', '/v1/designs'),
      openEmbed(service, ownDesign.id, ownPublicToken),
    ]);
    return responses.map(({ statusCode }) => statusCode);
  };
  const waitForStatuses = (expected: number[]) =>
    waitUntil('the service notices the change', async () =>
      isDeepStrictEqual(await getStatuses(), expected),
    );
  assert.deepEqual(await getStatuses(), [200, 200, 200, 200]);

  assert.equal((await run('disable', 'anna')).status, 0);
  await waitForStatuses([401, 401, 200, 200]);
  const { code } = (await sendRequest(anna, 'GET', '/v1/designs')).json();
  assert.equal(code, 'token.user-disabled');
  const page = await openEmbed(service, design.id, publicToken);
  assert.ok(!page.body.includes(design.name));

  assert.equal((await run('enable', 'anna')).status, 0);
  await waitForStatuses([200, 200, 200, 200]);
});

test('quotas of a user apply at once in the running service; default removes them', async (t) => {
  const { service, run, list } = await openServerWithCommand(t);
  await run('add', 'anna');
  const anna = { ...service, token: await createUserToken(service, 'anna') };
  const readLimits = async () => {
    const { bytes, designs } = (await sendRequest(anna, 'GET', '/v1/usage')).json();
    return [bytes.limit, designs.limit];
  };
  assert.deepEqual(await readLimits(), [null, null]);
  const { status, stderr } = await run('quota', 'anna', '--max-mb', '3', '--max-designs', '2');
  assert.equal(status, 0);
  assert.match(stderr, /anna may store 3 MiB and 2 designs/);
  assert.deepEqual(await readLimits(), [3 * 1024 ** 2, 2]);
  const [operator, limited] = await list();
  assert.deepEqual([operator.maxMegabytes, operator.maxDesigns], [null, null]);
  assert.deepEqual([limited.maxMegabytes, limited.maxDesigns], [3, 2]);
  await run('quota', 'anna', '--max-mb', '0');
  assert.deepEqual(await readLimits(), [null, 2]);
  await run('quota', 'anna', '--max-designs', 'default');
  assert.deepEqual(await readLimits(), [null, null]);
  const [, reset] = await list();
  assert.deepEqual([reset.maxMegabytes, reset.maxDesigns], [0, null]);
});

test('a token of an operator creates tokens for another user, by id or name', async (t) => {
  const { service, run } = await openServerWithCommand(t);
  const anna = (await run('add', 'anna')).stdout.trim();
  const request = { capabilities: ['read', 'write'], origins: [] };
  for (const user of [anna, 'anna']) {
    const created = await issueToken(service, { ...request, user });
    assert.equal(created.user, anna);
    const uploaded = await uploadTestDesign({ ...service, token: created.token }, user);
    const response = await sendRequest(service, 'GET', `/v1/designs/${uploaded.id}`);
    assert.equal(response.json().code, 'design.unknown', 'the operator does not see it');
  }
  const other = await createUserToken(service, 'anna');
  const rows: [token: string, user: string][] = [
    [other, 'operator'],
    [other, 'nobody'],
    [service.token, 'nobody'],
  ];
  for (const [token, user] of rows) {
    const body = { ...request, user };
    const response = await sendRequest({ ...service, token }, 'POST', '/v1/tokens', body);
    assert.deepEqual([response.statusCode, response.json().code], [400, 'token.user']);
  }
  await run('disable', 'anna');
  const body = { ...request, user: 'anna' };
  const response = await sendRequest(service, 'POST', '/v1/tokens', body);
  assert.match(response.json().detail, /is disabled/);
});
