import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { type Service, startService } from '../demo/service.ts';
import { makeBox } from '../server/testing/models.ts';
import type { Answer } from './bare.ts';
import { load, type Target } from './load.ts';
import { type Row, ratio } from './table.ts';

const ROUNDS = 15;
const SECONDS = 0.7;
const PORT = 18_787;
const PAGE = 'https://shop.example';

/**
 * Requests per second of the three hot paths against a bare Fastify that sends the same bytes, body
 * and headers: both in processes of their own, in short turns, the median of the rounds.
 */
export async function benchRequests(): Promise<Row[]> {
  await using service = await startService(PORT);
  // The same name for both: looking "localhost" up is no part of what is measured.
  const address = `http://127.0.0.1:${PORT}`;
  const targets = await prepare(address, service);
  const answers: Record<string, Answer> = {};
  for (const [name, { target }] of Object.entries(targets)) {
    answers[name] = await record(address, target, join(service.folder, name));
  }
  await using bare = await startBare(answers);

  const rows: Row[] = [];
  for (const { what, target } of Object.values(targets)) {
    const ours: number[] = [];
    const floor: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const a = await load(address, target, SECONDS);
      const b = await load(bare.origin, target, SECONDS);
      // The first round warms both up.
      if (round > 0) {
        ours.push(a);
        floor.push(b);
      }
    }
    rows.push({ what, ...ratio(ours, floor), unit: 'requests/s', target: 'at least 0.75' });
  }
  return rows;
}

/** Makes a design and a token, and the requests that are measured. They name the service as it is known. */
async function prepare(origin: string, service: Service) {
  const { host } = new URL(service.origin);
  const authorization = `Bearer ${service.token}`;
  const json = { host, authorization, 'content-type': 'application/json' };
  const file = { ...json, 'content-type': 'model/gltf-binary', prefer: 'wait=60' };
  const make = async (path: string, headers: Record<string, string>, body: string | Buffer) =>
    JSON.parse((await send(origin, { path, method: 'POST', headers }, body)).body.toString());

  const { id, uri } = await make('/v1/designs', file, makeBox({ textured: true }));
  const wish = { capabilities: ['embed'], origins: [PAGE], type: 'api', user: '~' };
  const issued = await make('/v1/tokens', json, JSON.stringify(wish));
  const document: Target = {
    path: `/embed/iframe/v1/${id}?token=${issued.token}`,
    method: 'GET',
    headers: { host, referer: `${PAGE}/`, 'sec-fetch-dest': 'iframe' },
  };
  const html = (await send(origin, document)).body.toString();
  const framed = JSON.parse(/id="framed">(.*?)<\/script>/.exec(html)?.[1] ?? '{}');
  const headers = { host, 'cloche-grant': framed.grant };
  const body = JSON.stringify({ uri });
  return {
    snippet: {
      what: 'POST /embed/iframe/v1',
      target: { path: '/embed/iframe/v1', method: 'POST', headers: json, body },
    },
    document: { what: 'the framed document', target: document },
    asset: { what: 'an asset', target: { path: framed.model.url, method: 'GET', headers } },
  };
}

/** What the connection itself adds to every answer. */
const OF_THE_CONNECTION = ['date', 'connection', 'keep-alive', 'content-length'];

/** Asks once, and keeps the answer for the bare server to give. */
async function record(origin: string, target: Target, file: string): Promise<Answer> {
  const { headers, body } = await send(origin, target, target.body);
  await writeFile(file, body);
  const own = Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.includes(name));
  return { headers: Object.fromEntries(own) as Record<string, string>, file };
}

/** Node's fetch would not send a Referer of ours. */
async function send(origin: string, { path, method, headers }: Target, body?: string | Buffer) {
  const outgoing = request(origin + path, { method, headers }).end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  if ((answer.statusCode ?? 500) >= 300) throw new Error(`${path}: ${bytes}`);
  return { headers: answer.headers, body: bytes };
}

async function startBare(answers: Record<string, Answer>) {
  const file = join(import.meta.dirname, 'bare.ts');
  const child = spawn(process.execPath, [file, JSON.stringify(answers)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    origin: line.toString().trim(),
    [Symbol.asyncDispose]: async () => {
      const gone = once(child, 'exit');
      child.kill();
      await gone;
    },
  };
}
