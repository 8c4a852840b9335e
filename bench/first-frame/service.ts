import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Design } from '@cloche/contract/design';
import { SERVICE_ARGUMENTS, stopProcess, waitUntilReady } from '../../scripts/service-process.ts';
import { waitUntil } from '../../scripts/wait-until.ts';

const PROCESSING_TIMEOUT_MS = 1_800_000;

export type BenchServiceOptions = {
  port: number;
  /** The address that browsers use. */
  publicUrl: string;
  /** The origin of the page that shows the designs. */
  pageOrigin: string;
};

/** A design as the service made it from an upload. */
export type UploadedDesign = { design: Design; embedUrl: string; processingMs: number };

/** The service as `npm start` runs it, with an empty data directory. */
export class BenchService implements AsyncDisposable {
  readonly #options: BenchServiceOptions;
  readonly #dispose: () => Promise<void>;
  readonly #token: string;
  #embedToken: string | undefined;

  private constructor(options: BenchServiceOptions, token: string, dispose: () => Promise<void>) {
    this.#options = options;
    this.#token = token;
    this.#dispose = dispose;
  }

  static async start(options: BenchServiceOptions): Promise<BenchService> {
    const folder = await mkdtemp(join(tmpdir(), 'cloche-bench-'));
    const tokenFile = join(folder, 'bootstrap-token');
    const { CLOCHE_CHROMIUM } = process.env;
    const child = spawn(process.execPath, SERVICE_ARGUMENTS, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        PATH: process.env.PATH,
        ...(CLOCHE_CHROMIUM && { CLOCHE_CHROMIUM }),
        CLOCHE_PORT: String(options.port),
        CLOCHE_PUBLIC_URL: options.publicUrl,
        CLOCHE_DATA: join(folder, 'data'),
        CLOCHE_BOOTSTRAP_TOKEN_FILE: tokenFile,
        CLOCHE_LOG_LEVEL: 'warn',
        CLOCHE_MAX_UPLOAD_MB: '1024',
      },
    });
    const dispose = async () => {
      await stopProcess(child, 'SIGTERM');
      await rm(folder, { recursive: true, force: true });
    };
    try {
      await waitUntilReady(`http://127.0.0.1:${options.port}`, child);
      return new BenchService(options, (await readFile(tokenFile, 'utf8')).trim(), dispose);
    } catch (error) {
      await dispose();
      throw error;
    }
  }

  /** Uploads a file and waits until its design is ready. */
  async upload(name: string, file: Uint8Array): Promise<UploadedDesign> {
    const start = performance.now();
    const path = `/v1/designs?name=${encodeURIComponent(name)}`;
    const { id } = await this.#request<Design>('POST', path, file);
    const design = await waitUntil(
      `${name} to be processed`,
      async () => {
        const design = await this.#request<Design>('GET', `/v1/designs/${id}`);
        if (design.status === 'failed')
          throw new Error(`${name}: ${JSON.stringify(design.problem)}`);
        return design.status === 'ready' && design;
      },
      { timeoutMs: PROCESSING_TIMEOUT_MS },
    );
    const processingMs = Math.round(performance.now() - start);
    return { design, embedUrl: await this.#createEmbedUrl(design), processingMs };
  }

  /** Reads the address from the HTML that page authors paste. */
  async #createEmbedUrl({ uri }: Design): Promise<string> {
    this.#embedToken ??= (
      await this.#request<{ token: string }>('POST', '/v1/tokens', {
        capabilities: ['embed'],
        origins: [this.#options.pageOrigin],
        type: 'api',
        user: '~',
      })
    ).token;
    const snippet = await this.#request<string>('POST', '/embed/iframe/v1', { uri });
    const src = /src="([^"]+)"/.exec(snippet)?.[1];
    if (src === undefined) throw new Error(`The HTML has no address: ${snippet}`);
    return src.replaceAll('&amp;', '&').replace('CLOCHE_EMBED_TOKEN', this.#embedToken);
  }

  async #request<Body>(method: string, path: string, body?: Uint8Array | object): Promise<Body> {
    const isFile = body instanceof Uint8Array;
    const outgoing = request({
      host: '127.0.0.1',
      port: this.#options.port,
      method,
      path,
      headers: {
        host: new URL(this.#options.publicUrl).host,
        authorization: `Bearer ${this.#token}`,
        ...(body && { 'content-type': isFile ? 'application/octet-stream' : 'application/json' }),
      },
    });
    outgoing.end(isFile || body === undefined ? body : JSON.stringify(body));
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const text = Buffer.concat(await Array.fromAsync(response)).toString();
    if ((response.statusCode ?? 0) >= 300) throw new Error(`${method} ${path}: ${text}`);
    const isJson = String(response.headers['content-type']).includes('json');
    return (isJson ? JSON.parse(text) : text) as Body;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dispose();
  }
}
