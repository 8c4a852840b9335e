import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Design } from '@cloche/contract/design';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { ModelProcessor, WorkerResult } from '@cloche/pipeline/model-processor';
import { makeBox } from '@cloche/pipeline/testing/models';
import { createBlockingProcessor, passthroughProcessor } from './fake-processing.ts';
import { openTestServer, type TestServer, type TestServerOptions } from './harness.ts';
import { GLB_HEADERS, HOST_HEADER, issueToken, SHOP_ORIGIN, sendRequest } from './requests.ts';

export const EARLY_PREVIEW = makeBox({ size: 2 });
const DEADLINE_MS = 60_000;

/** What happens in an attempt to process a revision, after its preview was sent. */
export type Attempt = (signal: AbortSignal) => Promise<WorkerResult | 'ready' | 'small'>;

/** Creates a processor that sends the preview, and then does what the test says. The last attempt is repeated. */
export function createPreviewProcessor(attempts: Attempt[]): ModelProcessor {
  let runs = 0;
  return {
    async run(directory, options) {
      const attempt = attempts[Math.min(runs++, attempts.length - 1)];
      options.onProgress('textures', 50);
      const path = join(directory, 'out', 'preview.glb');
      await writeFile(path, EARLY_PREVIEW);
      options.onPreview?.(path);
      const result = (await attempt?.(options.signal)) ?? 'ready';
      if (result !== 'ready' && result !== 'small') return result;
      const passed = await passthroughProcessor.run(directory, options);
      if (result === 'ready' || !passed.ok) return passed;
      return { ...passed, report: { ...passed.report, previewUnused: true } };
    },
  };
}

/** A design that is being processed, in a service. */
export type EarlyDesign = {
  service: TestServer;
  id: string;
  /** The embed token of a page of SHOP_ORIGIN, and its id. */
  token: string;
  tokenId: string;
  read(): Promise<Design>;
  /** Waits until the preview is shown. */
  waitForPreview(): Promise<void>;
};

/** Uploads a design in a new service. */
export async function openEarlyDesign(
  t: TestContext,
  { processing, ...options }: TestServerOptions,
): Promise<EarlyDesign> {
  const service = await openTestServer(t, { processing: { ...processing }, ...options });
  const upload = { ...GLB_HEADERS, prefer: '' };
  const url = '/v1/designs?name=Early';
  const { id } = (await sendRequest(service, 'POST', url, makeBox(), upload)).json();
  return openDesignAgain(service, id);
}

/** Follows a design of a service that was closed and is open again. */
export async function openDesignAgain(service: TestServer, id: string): Promise<EarlyDesign> {
  const { token, id: tokenId } = await issueToken(service);
  const read = async () => (await sendRequest(service, 'GET', `/v1/designs/${id}`)).json();
  const waitForPreview = () => waitFor(async () => (await read()).progress?.preview === true);
  return { service, id, token, tokenId, read, waitForPreview };
}

/** Opens a design whose worker has sent its preview, and makes the model when the test calls `release`. */
export async function openBlockedDesign(
  t: TestContext,
  { preview = EARLY_PREVIEW, ...options }: TestServerOptions & { preview?: Buffer } = {},
): Promise<EarlyDesign & { release(): void }> {
  const { processor, release, started } = createBlockingProcessor({ preview });
  const processing = { modelProcessor: processor, ...options.processing };
  const design = await openEarlyDesign(t, { ...options, processing });
  t.after(release);
  await started;
  return { ...design, release };
}

export async function waitFor(condition: () => Promise<boolean>): Promise<void> {
  for (const start = Date.now(); !(await condition()); await sleep(20))
    assert.ok(Date.now() - start < DEADLINE_MS, String(condition));
}

/** Requests the framed document, by default for a page of the shop. */
export function getDocument(
  { service, id, token }: Pick<EarlyDesign, 'service' | 'id' | 'token'>,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
) {
  return service.app.inject({
    url: `/embed/iframe/v1/${id}?token=${token}${query}`,
    headers: {
      ...HOST_HEADER,
      'sec-fetch-dest': 'iframe',
      referer: `${SHOP_ORIGIN}/`,
      ...headers,
    },
  });
}

export async function getConfig(design: EarlyDesign): Promise<ViewerConfig> {
  const { body } = await getDocument(design);
  return JSON.parse(/id="viewer-config">(.*)<\/script>$/.exec(body)?.[1] ?? '{}');
}

/** Requests what the viewer requests. */
export function load(
  { service }: Pick<EarlyDesign, 'service'>,
  url = '',
  grant = '',
  headers: Record<string, string> = {},
) {
  return service.app.inject({
    url,
    headers: { ...HOST_HEADER, 'cloche-grant': grant, ...headers },
  });
}
