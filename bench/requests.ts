import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { GRANT_HEADER, type ViewerConfig } from '@cloche/contract/viewer-config';
import { makeBox } from '@cloche/pipeline/testing/models';
import { type DemoService, startDemoService } from '../demo/demo-service.ts';
import { stopProcess } from '../scripts/service-process.ts';
import type { RecordedResponse } from './bare-fastify.ts';
import { type BenchResult, compareRounds } from './bench-result.ts';
import { measureRequestRate, type RepeatedRequest } from './request-rate.ts';

const ROUNDS = 15;
const ROUND_SECONDS = 0.7;
const PORT = 18_787;
const PAGE_ORIGIN = 'https://shop.example';

/**
 * Compares requests per second of CPU time of the three most frequent routes with a bare Fastify that
 * sends the same headers and bodies. Both run in processes of their own, in alternating short rounds.
 */
export async function benchRequests(): Promise<BenchResult[]> {
  await using service = await startDemoService(PORT);
  // An IP address for both, so that resolving "localhost" is not measured.
  const address = `http://127.0.0.1:${PORT}`;
  const targets = await createRequests(address, service);
  const ourProcess = { origin: address, pid: service.pid };
  const responses: Record<string, RecordedResponse> = {};
  for (const [name, { target }] of Object.entries(targets)) {
    responses[name] = await recordResponse(address, target, join(service.folder, name));
  }
  await using bare = await startBareFastify(responses);

  const rows: BenchResult[] = [];
  for (const { label, target } of Object.values(targets)) {
    const ours: number[] = [];
    const baseline: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const ourRate = await measureRequestRate(ourProcess, target, ROUND_SECONDS);
      const baselineRate = await measureRequestRate(bare, target, ROUND_SECONDS);
      // The first round is a warm-up.
      if (round > 0) {
        ours.push(ourRate);
        baseline.push(baselineRate);
      }
    }
    rows.push({
      label,
      ...compareRounds(ours, baseline),
      unit: 'requests/CPU-s',
      goal: 'at least 0.6',
    });
  }
  return rows;
}

/** Creates a design and a token, and the requests to measure, with the `host` of the service. */
async function createRequests(origin: string, service: DemoService) {
  const { host } = new URL(service.origin);
  const authorization = `Bearer ${service.token}`;
  const json = { host, authorization, 'content-type': 'application/json' };
  const file = { ...json, 'content-type': 'model/gltf-binary', prefer: 'wait=60' };
  const post = async (path: string, headers: Record<string, string>, body: string | Buffer) =>
    JSON.parse(
      (await sendRequest(origin, { path, method: 'POST', headers }, body)).body.toString(),
    );

  const { id, uri } = await post('/v1/designs', file, makeBox({ textured: true }));
  const tokenRequest = { capabilities: ['embed'], origins: [PAGE_ORIGIN], type: 'api', user: '~' };
  const issued = await post('/v1/tokens', json, JSON.stringify(tokenRequest));
  const document: RepeatedRequest = {
    path: `/embed/iframe/v1/${id}?token=${issued.token}`,
    method: 'GET',
    headers: { host, referer: `${PAGE_ORIGIN}/`, 'sec-fetch-dest': 'iframe' },
  };
  const html = (await sendRequest(origin, document)).body.toString();
  const config: ViewerConfig = JSON.parse(
    /id="viewer-config">(.*?)<\/script>/.exec(html)?.[1] ?? '{}',
  );
  const headers = { host, [GRANT_HEADER]: config.grant };
  const body = JSON.stringify({ uri });
  return {
    snippet: {
      label: 'POST /embed/iframe/v1',
      target: { path: '/embed/iframe/v1', method: 'POST', headers: json, body },
    },
    document: { label: 'the framed document', target: document },
    asset: { label: 'an asset', target: { path: config.model.url, method: 'GET', headers } },
  };
}

/** Headers that Fastify adds by itself. */
const CONNECTION_HEADERS = ['date', 'connection', 'keep-alive', 'content-length'];

/** Sends a request once and records the response for the bare server. */
async function recordResponse(
  origin: string,
  target: RepeatedRequest,
  bodyFile: string,
): Promise<RecordedResponse> {
  const { headers, body } = await sendRequest(origin, target, target.body);
  await writeFile(bodyFile, body);
  const recordedHeaders = Object.entries(headers).filter(
    ([name]) => !CONNECTION_HEADERS.includes(name),
  );
  return { headers: Object.fromEntries(recordedHeaders) as Record<string, string>, bodyFile };
}

/** Uses node:http, because `fetch` does not send a Referer header. */
async function sendRequest(
  origin: string,
  { path, method, headers }: RepeatedRequest,
  body?: string | Buffer,
) {
  const outgoing = request(origin + path, { method, headers }).end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  if ((response.statusCode ?? 500) >= 300) throw new Error(`${path}: ${bytes}`);
  return { headers: response.headers, body: bytes };
}

async function startBareFastify(responses: Record<string, RecordedResponse>) {
  const file = join(import.meta.dirname, 'bare-fastify.ts');
  const child = spawn(process.execPath, [file, JSON.stringify(responses)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    origin: line.toString().trim(),
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      await stopProcess(child, 'SIGTERM');
    },
  };
}
