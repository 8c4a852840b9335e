/**
 * Runs in the network of a `DockerHost`, as a child process: embeds a design as the guides say, and looks at it until it is
 * asked to stop. It reports to its parent with `EmbedReport`.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { GRANT_HEADER, type ViewerConfig } from '@cloche/contract/viewer-config';
import { makeBox } from '@cloche/pipeline/testing/models';
import { waitUntil } from '../../scripts/wait-until.ts';
import { ApiClient, SHOP_ORIGIN } from '../api-client.ts';

/** How the processed design is shown, then how many views there were, and what each failed one got. */
export type EmbedReport = {
  origin: string;
  modelOrigin: string;
  hasPoster: boolean;
  warnings: readonly unknown[];
  views: number;
  failures: readonly string[];
};

/** Between two views. */
const PAUSE_MS = 20;

const [origin = '', tokenString = ''] = process.argv.slice(2);
await waitUntil('the service to be ready', isReady, { timeoutMs: 240_000 });
const api = await ApiClient.create({ origin, readBootstrapToken: async () => tokenString });

const uploaded = await api.upload(makeBox({ name: crypto.randomUUID() }));
assert.equal(uploaded.status, 201, uploaded.text);
const design = await api.waitUntilSettled(uploaded.body.id);
assert.equal(design.status, 'ready', JSON.stringify(design));
const snippet = await postJson('/embed/iframe/v1', { uri: design.uri });
const token = { capabilities: ['embed'], origins: [SHOP_ORIGIN], type: 'api', user: '~' };
const created = JSON.parse(await postJson('/v1/tokens', token)) as { token: string };
const html = snippet.replace('CLOCHE_EMBED_TOKEN', created.token);
const documentUrl = /src="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? assert.fail(html);

assert.equal((await get(documentUrl, toHeaders('http://other.test'))).status, 403);
const report: EmbedReport & { failures: string[] } = {
  origin: new URL(documentUrl).origin,
  modelOrigin: (await view()).origin,
  hasPoster: design.poster !== undefined,
  warnings: design.report?.warnings ?? [],
  views: 1,
  failures: [],
};
let isStopped = false;
const stopped = once(process, 'message').then(() => {
  isStopped = true;
});
while (!isStopped) {
  process.send?.(report);
  await view().catch((error) => report.failures.push(String(error)));
  report.views++;
  await delay(PAUSE_MS);
}
await stopped;
process.disconnect?.();

/** Loads the framed document and the model, as a visitor of the shop does. Returns the URL of the model. */
async function view(): Promise<URL> {
  const { status, body } = await get(documentUrl, toHeaders(SHOP_ORIGIN));
  assert.equal(status, 200, `framed document: ${status}`);
  const config = /id="viewer-config">(.*?)<\/script>/.exec(body.toString())?.[1] ?? '';
  const { grant, model } = JSON.parse(config) as ViewerConfig;
  const url = new URL(model.url, documentUrl);
  const loaded = await get(url.href, { [GRANT_HEADER]: grant });
  assert.equal(loaded.status, 200, `model: ${loaded.status}`);
  assert.equal(loaded.body.toString('latin1', 0, 4), 'glTF');
  return url;
}

/** The headers of a browser that opens the framed document on a page. */
function toHeaders(pageOrigin: string): Record<string, string> {
  return { 'sec-fetch-dest': 'iframe', referer: `${pageOrigin}/` };
}

/** `fetch` does not send these headers. */
async function get(url: string, headers: Record<string, string>) {
  const { request } = url.startsWith('https:') ? https : http;
  const outgoing = request(url, { headers, agent: false }).end();
  const [response] = (await once(outgoing, 'response')) as [http.IncomingMessage];
  const body = Buffer.concat(await Array.fromAsync(response as AsyncIterable<Buffer>));
  return { status: response.statusCode, body };
}

async function postJson(path: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await api.request(path, init);
  const text = await response.text();
  assert.ok(response.ok, text);
  return text;
}

/** Reads the response: otherwise, its connection would stay open. */
async function isReady(): Promise<boolean> {
  try {
    const response = await fetch(`${origin}/readyz`);
    await response.text();
    return response.ok;
  } catch {
    // The port is not open yet, or its container is starting.
    return false;
  }
}
