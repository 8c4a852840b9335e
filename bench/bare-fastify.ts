import { readFileSync } from 'node:fs';
import Fastify from 'fastify';

/** A response of the service: its headers, and the file with its body. */
export type RecordedResponse = { headers: Record<string, string>; bodyFile: string };

/**
 * The baseline: Fastify without options or hooks, which sends recorded responses. The argument of the
 * script is the responses of the three routes, as JSON.
 */
const responses = JSON.parse(process.argv[2] ?? '{}') as Record<string, RecordedResponse>;

const app = Fastify();
const [snippet, document, asset] = ['snippet', 'document', 'asset'].map((name) => {
  const { headers, bodyFile } = responses[name] as RecordedResponse;
  return { headers, body: readFileSync(bodyFile) };
});
const text = { snippet: `${snippet?.body}`, document: `${document?.body}` };

app.post('/embed/iframe/v1', async (_request, reply) =>
  reply.headers(snippet?.headers ?? {}).send(text.snippet),
);
app.get('/embed/iframe/v1/:id', async (_request, reply) =>
  reply.headers(document?.headers ?? {}).send(text.document),
);
app.get('/embed/assets/:file', async (_request, reply) =>
  reply.headers(asset?.headers ?? {}).send(asset?.body),
);
console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
