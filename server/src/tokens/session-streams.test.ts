import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { createBlockingProcessor } from '../../testing/fake-processing.ts';
import { openTestServer } from '../../testing/harness.ts';
import { GLB_HEADERS, sendRequest } from '../../testing/requests.ts';
import { OWN_PAGE, signIn } from '../../testing/sessions.ts';

test('an event stream ends when its session ends, and not when another one does', async (t) => {
  const { processor, release } = createBlockingProcessor();
  const service = await openTestServer(t, { processing: { modelProcessor: processor } });
  t.after(release);
  const headers = { ...GLB_HEADERS, prefer: 'wait=0' };
  const { id } = (await sendRequest(service, 'POST', '/v1/designs', makeBox(), headers)).json();
  const [browser, other] = [await signIn(service), await signIn(service)];
  const open = ({ cookie }: typeof browser) =>
    service.app.inject({
      url: `/v1/designs/${id}/events`,
      headers: { host: 'cloche.test', cookie, ...OWN_PAGE },
      payloadAsStream: true,
    });
  const [stream, otherStream] = [await open(browser), await open(other)];
  let otherEnded = false;
  otherStream.stream().on('end', () => {
    otherEnded = true;
  });
  otherStream.stream().resume();
  await sendRequest(service, 'DELETE', `/v1/sessions/${browser.session.id}`);
  for await (const _ of stream.stream());
  assert.equal(otherEnded, false);
});
