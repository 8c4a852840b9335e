import { readFileSync } from 'node:fs';
import Fastify from 'fastify';

/**
 * The floor: Fastify as it comes, answering the same bytes with nothing in between. Started with a
 * JSON argument: what to answer, and the file to send.
 */
const { html, document, asset } = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>;

const file = readFileSync(asset ?? '');
const app = Fastify();
app.post('/embed/iframe/v1', async (_request, reply) =>
  reply.type('text/html; charset=utf-8').send(html),
);
app.get('/embed/iframe/v1/:id', async (_request, reply) =>
  reply.type('text/html; charset=utf-8').send(document),
);
app.get('/embed/assets/:file', async (_request, reply) =>
  reply.type('model/gltf-binary').send(file),
);
console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
