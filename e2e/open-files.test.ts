import assert from 'node:assert/strict';
import { Agent, type IncomingMessage, request } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { waitUntil } from '../scripts/wait-until.ts';
import { openServerDatabase } from '../server/testing/requests.ts';
import { ApiClient } from './api-client.ts';
import { assertNothingLeft } from './crash-fixtures.ts';
import { ServiceProcess } from './service-process.ts';

/** The service itself has about 30 files open, and reads the viewer with 48 at the start. */
const OPEN_FILES = 64;
/** With so many refused in sequence, no connection can be accepted. */
const REFUSED_COUNT = 5;
/** More than the attempts that a job has. */
const FAILED_ATTEMPTS = 5;

describe('with as many files and connections open as the system allows', () => {
  it('requests get a temporary 503, jobs wait, and all works when connections are closed', async (t) => {
    const service = await ServiceProcess.open(t, {}, { openFiles: OPEN_FILES });
    const client = await ApiClient.create(service);
    const earlier = (await client.upload(makeBox({ name: 'earlier' }))).body;
    assert.equal(earlier.status, 'ready');
    const connections = await openAllConnections(t, service);
    assert.ok(connections.length > 10, `${connections.length} connections`);

    const refused = await Promise.all(
      listRequests(earlier.id).map(([method, path, init], index) =>
        connections[index]?.send(method, path, init),
      ),
    );
    for (const answer of refused) assertDoneOrUnavailable(answer ?? assert.fail());
    assert.equal(refused[0]?.status, 503, 'an upload needs a file');

    // One after the other, until an upload is accepted. To start the worker, several more are needed.
    const [last, ...others] = connections;
    const upload = async () => {
      others.shift()?.close();
      const body = makeBox({ name: 'later' });
      const answer = (await last?.send('POST', '/v1/designs', { body })) ?? assert.fail();
      assertDoneOrUnavailable(answer);
      return answer.status === 201 && answer;
    };
    const accepted = await waitUntil('an upload to be accepted', upload);
    const { id } = JSON.parse(accepted.text) as { id: string };
    const isRetried = () => countFailedAttempts(service) >= FAILED_ATTEMPTS;
    await waitUntil('attempts that fail', isRetried);

    for (const { close } of connections) close();
    const later = await client.waitUntilSettled(id);
    assert.equal(later.status, 'ready', JSON.stringify(later.problem));
    const another = await client.upload(makeBox({ name: 'another' }));
    assert.deepEqual([another.status, another.body.status], [201, 'ready'], another.text);
    await assertNothingLeft({ service, database: openServerDatabase(t, service) });
    assert.doesNotMatch(service.output, /"level":"error"/);
    assert.equal(await service.stop('SIGTERM'), 0);
  });

  it('a start with too low a limit: one sentence, and exit code 1', async (t) => {
    const started = ServiceProcess.open(t, {}, { openFiles: 32 });
    await assert.rejects(started, /did not start: cloche: [^\n]+ulimit -n[^\n]+\.\n$/);
  });
});

type RequestOptions = { headers?: Record<string, string>; body?: Buffer };
type RequestLine = [method: string, path: string, options?: RequestOptions];

/** Requests that open files, and some that do not. */
function listRequests(id: string): RequestLine[] {
  const tus = { 'tus-resumable': '1.0.0', 'upload-length': '10' };
  return [
    ['POST', '/v1/designs', { body: makeBox() }],
    ['PUT', `/v1/designs/${id}/model`, { body: makeBox() }],
    ['POST', '/v1/uploads', { headers: tus }],
    ['GET', `/v1/designs/${id}/model`],
    ['GET', `/v1/designs/${id}`],
    ['GET', '/v1/designs'],
    ['GET', '/v1/tokens'],
    ['GET', '/docs'],
    ['GET', '/readyz'],
  ];
}

function assertDoneOrUnavailable({ status, headers, text }: Answer): void {
  if (status < 300) return;
  const { code } = JSON.parse(text) as { code: string };
  assert.deepEqual([status, code], [503, 'server.unavailable'], text);
  assert.ok(Number(headers['retry-after']) > 0, 'Retry-After');
}

const countFailedAttempts = ({ output }: ServiceProcess) =>
  output.split('\n').filter((line) => /EMFILE.*a processing attempt failed/.test(line)).length;

type Answer = { status: number; headers: IncomingMessage['headers']; text: string };

/** A connection that stays open. */
type Connection = {
  send(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  close(): void;
};

/** Opens connections until the service accepts no more. */
async function openAllConnections(t: TestContext, service: ServiceProcess): Promise<Connection[]> {
  const token = await service.readBootstrapToken();
  const connections: Connection[] = [];
  let refusedCount = 0;
  const openConnection = async () => {
    const connection = createConnection(t, { origin: service.origin, token });
    const answer = await connection.send('GET', '/livez').catch(() => undefined);
    if (answer === undefined) refusedCount += 1;
    else {
      refusedCount = 0;
      connections.push(connection);
    }
    return refusedCount === REFUSED_COUNT;
  };
  await waitUntil('connections to be refused', openConnection);
  return connections;
}

function createConnection(
  t: TestContext,
  { origin, token }: { origin: string; token: string },
): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  return {
    async send(method, path, { headers, body } = {}) {
      const type = body && { 'content-type': 'application/octet-stream', prefer: 'wait=0' };
      const authorization = `Bearer ${token}`;
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      request(origin + path, { agent, method, headers: { authorization, ...type, ...headers } })
        .on('response', resolve)
        .on('error', reject)
        .end(body);
      const response = await promise;
      const bytes = Buffer.concat(await Array.fromAsync(response as AsyncIterable<Buffer>));
      const { statusCode: status = 0 } = response;
      return { status, headers: response.headers, text: bytes.toString() };
    },
    close: () => agent.destroy(),
  };
}
