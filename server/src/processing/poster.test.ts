import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PosterRenderer } from '@cloche/pipeline/poster/poster-renderer';
import { openTestPoster } from '@cloche/pipeline/testing/poster';
import { openTestServer } from '../../testing/harness.ts';
import { uploadTestDesign } from '../../testing/requests.ts';

test('when no poster can be rendered, the design is ready, with a warning', async (t) => {
  const { renderer } = await openTestPoster(t, { browser: { kind: 'path', path: '/bin/false' } });
  const service = await openTestServer(t, { processing: { posterRenderer: renderer } });
  const { status, report } = await uploadTestDesign(service);
  assert.equal(status, 'ready');
  assert.deepEqual(
    report?.warnings.map(({ code }) => code),
    ['poster.failed'],
  );
  assert.match(service.logLines.join(), /No browser starts/);
});

test('a poster of one color is a warning', async (t) => {
  const image = { width: 1, height: 1, bytes: Buffer.from('an image') };
  const posterRenderer: PosterRenderer = {
    render: async () => ({
      images: [{ ...image, kind: 'poster' }],
      placeholder: { background: '#ffffff' },
      hasOneColor: true,
    }),
  };
  const service = await openTestServer(t, { processing: { posterRenderer } });
  const { status, report } = await uploadTestDesign(service);
  assert.equal(status, 'ready');
  assert.deepEqual(
    report?.warnings.map(({ code }) => code),
    ['poster.blank'],
  );
});
