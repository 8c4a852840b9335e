import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PosterRenderer } from '@cloche/pipeline/poster/poster-renderer';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { fetchDesign } from '../../testing/design-requests.ts';
import { openTestServer } from '../../testing/harness.ts';
import { sendRequest, uploadTestDesign } from '../../testing/requests.ts';

test('POST renders a new poster, which has other URLs', async (t) => {
  let count = 0;
  const posterRenderer: PosterRenderer = {
    async render() {
      count += 1;
      const bytes = Buffer.from(`RIFF ${count} WEBP`);
      return {
        images: [{ kind: 'poster', bytes, width: 4, height: 3 }],
        placeholder: { background: '#ffffff' },
        hasOneColor: false,
      };
    },
  };
  const service = await openTestServer(t, { processing: { posterRenderer } });
  const { id, poster } = await uploadTestDesign(service);
  const response = await sendRequest(service, 'POST', `/v1/designs/${id}/poster`);
  assert.equal(response.statusCode, 202, response.body);
  const findNewUrl = async () => {
    const { url } = (await fetchDesign(service, id)).poster ?? {};
    return url === poster?.url ? undefined : url;
  };
  await waitUntil('the new poster', async () => (await findNewUrl()) !== undefined);
  const { pathname, search, host } = new URL((await findNewUrl()) ?? '');
  const image = await service.app.inject({ url: pathname + search, headers: { host } });
  assert.equal(image.body, 'RIFF 2 WEBP');
});
