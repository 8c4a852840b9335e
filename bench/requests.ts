import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { makeBox } from '@cloche/pipeline/testing/models';
import { type DemoService, startDemoService } from '../demo/demo-service.ts';
import type { RecordedResponse } from './bare-fastify.ts';
import { type BenchResult, compareRounds } from './bench-result.ts';
import { measureRequestRate, type RepeatedRequest } from './request-rate.ts';

const ROUNDS = 15;
const ROUND_SECONDS = 0.7;
const PORT = 18_787;
const PAGE_ORIGIN = 'https://shop.example';

/**
 * Requests per second of the three hot paths against a bare Fastify that sends the same bytes, body
 * and headers: both in processes of their own, in short turns, the median of the rounds.
 */
export async function benchRequests(): Promise<BenchResult[]> {
  await using service = await startDemoService(PORT);
  // The same name for both: looking "localhost" up is no part of what is measured.
  const address = `http://127.0.0.1:${PORT}`;
  const targets = await createRequests(address, service);
  const answers: Record<string, RecordedResponse> = {};
  for (const [name, { target }] of Object.entries(targets)) {
    answers[name] = await recordResponse(address, target, join(service.folder, name));
  }
  await using bare = await startBareFastify(answers);

  const rows: BenchResult[] = [];
  for (const { what: label, target } of Object.values(targets)) {
    const ours: number[] = [];
    const floor: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const a = await measureRequestRate(address, target, ROUND_SECONDS);
      const b = await measureRequestRate(bare.origin, target, ROUND_SECONDS);
      // The first round warms both up.
      if (round > 0) {
        ours.push(a);
        floor.push(b);
      }
    }
    rows.push({ label, ...compareRounds(ours, floor), unit: 'requests/s', goal: 'at least 0.75' });
  }
  return rows;
}

/** Makes a design and a token, and the requests that are measured. They name the service as it is known. */
async function createRequests(origin: string, service: DemoService) {
  const { host } = new URL(service.origin);
  const authorization = `Bearer ${service.token}`;
  const json = { host, authorization, 'content-type': 'application/json' };
  const file = { ...json, 'content-type': 'model/gltf-binary', prefer: 'wait=60' };
  const make = async (path: string, headers: Record<string, string>, body: string | Buffer) =>
    JSON.parse(
      (await sendRequest(origin, { path, method: 'POST', headers }, body)).body.toString(),
    );

  const { id, uri } = await make('/v1/designs', file, makeBox({ textured: true }));
  const wish = { capabilities: ['embed'], origins: [PAGE_ORIGIN], type: 'api', user: '~' };
  const issued = await make('/v1/tokens', json, JSON.stringify(wish));
  const document: RepeatedRequest = {
    path: `/embed/iframe/v1/${id}?token=${issued.token}`,
    method: 'GET',
    headers: { host, referer: `${PAGE_ORIGIN}/`, 'sec-fetch-dest': 'iframe' },
  };
  const html = (await sendRequest(origin, document)).body.toString();
  const framed = JSON.parse(/id="viewer-config">(.*?)<\/script>/.exec(html)?.[1] ?? '{}');
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
const CONNECTION_HEADERS = ['date', 'connection', 'keep-alive', 'content-length'];

/** Asks once, and keeps the answer for the bare server to give. */
async function recordResponse(
  origin: string,
  target: RepeatedRequest,
  bodyFile: string,
): Promise<RecordedResponse> {
  const { headers, body } = await sendRequest(origin, target, target.body);
  await writeFile(bodyFile, body);
  const own = Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.includes(name));
  return { headers: Object.fromEntries(own) as Record<string, string>, bodyFile };
}

/** Node's fetch would not send a Referer of ours. */
async function sendRequest(
  origin: string,
  { path, method, headers }: RepeatedRequest,
  body?: string | Buffer,
) {
  const outgoing = request(origin + path, { method, headers }).end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  if ((answer.statusCode ?? 500) >= 300) throw new Error(`${path}: ${bytes}`);
  return { headers: answer.headers, body: bytes };
}

async function startBareFastify(answers: Record<string, RecordedResponse>) {
  const file = join(import.meta.dirname, 'bare-fastify.ts');
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
