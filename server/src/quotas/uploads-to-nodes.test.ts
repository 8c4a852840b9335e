import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeBox } from '@cloche/pipeline/testing/models';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { usePostgresNodes } from '../../testing/postgres-nodes.ts';
import { beginDesignUpload } from '../../testing/raw-connection.ts';
import { uploadTestDesign } from '../../testing/requests.ts';

const MODEL = makeBox();
const UPLOADS = 12;

const { openServices } = usePostgresNodes();

test('uploads in one request at the same time to two nodes do not reserve more than the quota', async (t) => {
  // Three more fit: the first design is a little larger.
  const quotas = { bytes: 5 * MODEL.length - 1, designs: 0 };
  const services = await openServices(t, { listen: true, quotas });
  const { id } = await uploadTestDesign(services[0]);
  const routes = ['POST /v1/designs', `PUT /v1/designs/${id}/model`];
  const connections = await Promise.all(
    Array.from({ length: UPLOADS }, (_, index) => {
      const service = services[index % 2] ?? assert.fail();
      return beginDesignUpload(t, service, MODEL.length, routes[Math.floor(index / 2) % 2]);
    }),
  );
  const waiting = new Set(connections);
  const responses = connections.map(async (connection) => {
    const response = await connection.readResponse();
    waiting.delete(connection);
    return response;
  });
  // Refused before their bodies are sent.
  await waitUntil('the others are refused', async () => waiting.size <= 3);
  for (const connection of waiting) connection.write(MODEL);
  const statuses = (await Promise.all(responses)).map((response) => response?.status ?? 0);
  const accepted = statuses.filter((status) => status === 200 || status === 201);
  assert.equal(accepted.length, 3, statuses.join(', '));
  const refused = statuses.filter((status) => status === 403);
  assert.equal(refused.length, UPLOADS - 3, statuses.join(', '));
});
