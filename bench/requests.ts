import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startService } from '../demo/service.ts';
import { makeBox } from '../server/testing/models.ts';
import { load, type Target } from './load.ts';
import { type Row, ratio } from './table.ts';

const ROUNDS = 4;
const SECONDS = 3;
const PORT = 18_787;
const PAGE = 'https://shop.example';

/**
 * Requests per second of the three hot paths against a bare Fastify that answers the same bytes:
 * both in processes of their own, in turns, the median of the rounds.
 */
export async function benchRequests(): Promise<Row[]> {
  await using service = await startService(PORT);
  const prepared = await prepare(service);
  const assetFile = join(service.folder, 'asset.glb');
  await writeFile(assetFile, prepared.bytes);
  await using bare = await startBare({ ...prepared.answers, asset: assetFile });

  // The same name for both: looking "localhost" up is no part of what is measured.
  const address = `http://127.0.0.1:${PORT}`;
  const rows: Row[] = [];
  for (const [what, target] of Object.entries(prepared.targets)) {
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

async function prepare({ origin, token }: { origin: string; token: string }) {
  const bytes = makeBox({ textured: true });
  const authorization = `Bearer ${token}`;
  const json = { authorization, 'content-type': 'application/json' };
  const post = async (
    path: string,
    headers: Record<string, string>,
    body: string | Uint8Array<ArrayBuffer>,
  ) => {
    const response = await fetch(origin + path, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.text();
  };
  const file = { authorization, 'content-type': 'model/gltf-binary' };
  const { id, uri } = JSON.parse(await post('/v1/designs', file, new Uint8Array(bytes)));
  const body = JSON.stringify({ uri });
  const html = await post('/embed/iframe/v1', json, body);
  const wish = { capabilities: ['embed'], origins: [PAGE], type: 'api', user: '~' };
  const issued = JSON.parse(await post('/v1/tokens', json, JSON.stringify(wish)));

  const path = `/embed/iframe/v1/${id}?token=${issued.token}`;
  const visit = { referer: `${PAGE}/`, 'sec-fetch-dest': 'iframe' };
  // Node's fetch sends no Referer of ours, so this once the load generator's own client asks.
  const document = await readOnce(origin + path, visit);
  const framed = JSON.parse(/id="framed">(.*?)<\/script>/.exec(document)?.[1] ?? '{}');
  const grant = { 'cloche-grant': framed.grant };

  const targets: Record<string, Target> = {
    'POST /embed/iframe/v1': { path: '/embed/iframe/v1', method: 'POST', headers: json, body },
    'the framed document': { path, method: 'GET', headers: visit },
    'an asset': { path: framed.model.url, method: 'GET', headers: grant },
  };
  return { bytes, targets, answers: { html, document } };
}

async function readOnce(url: string, headers: Record<string, string>): Promise<string> {
  const { request } = await import('node:http');
  const outgoing = request(url, { headers }).end();
  const [answer] = await once(outgoing, 'response');
  let text = '';
  for await (const chunk of answer) text += chunk;
  if (answer.statusCode !== 200) throw new Error(text);
  return text;
}

async function startBare(answers: Record<string, string>) {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'bare.ts'), JSON.stringify(answers)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
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
