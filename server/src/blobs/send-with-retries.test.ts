import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendWithRetries } from './send-with-retries.ts';

test('a request without a response ends within five seconds, and is not sent again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let sent = 0;
  const sending = sendWithRetries(({ abortSignal }) => {
    sent += 1;
    return new Promise((_, reject) => {
      abortSignal.addEventListener('abort', () => reject(abortSignal.reason));
    });
  });
  const ended = assert.rejects(sending, { name: 'AbortError' });
  t.mock.timers.tick(5_000);
  await ended;
  assert.equal(sent, 1);
});
