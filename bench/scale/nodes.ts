import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DemoService, startDemoService } from '../../demo/demo-service.ts';
import { findFreePort } from '../../scripts/find-free-port.ts';
import type { RepeatedRequest } from '../request-rate.ts';

/** Limits that no measurement reaches, and no posters. */
const SETTINGS = {
  CLOCHE_CHROMIUM: 'none',
  CLOCHE_MAX_REQUESTS_PER_MINUTE: '999999999',
  CLOCHE_MAX_DOCUMENTS_PER_MINUTE: '999999999',
};

/** Starts a service, with limits that are not reached. It is stopped with `resources`. */
export async function startService(
  resources: AsyncDisposableStack,
  settings: Record<string, string>,
): Promise<DemoService> {
  return resources.use(await startDemoService(await findFreePort(), { ...SETTINGS, ...settings }));
}

/** The settings of nodes with one key, and one folder for their files and the token. They need a database, too. */
export async function createNodeSettings(resources: AsyncDisposableStack) {
  const folder = resources.use(await mkdtempDisposable(join(tmpdir(), 'cloche-scale-')));
  return {
    CLOCHE_GRANT_KEY: randomBytes(32).toString('hex'),
    CLOCHE_FILES: join(folder.path, 'files'),
    CLOCHE_BOOTSTRAP_TOKEN_FILE: join(folder.path, 'bootstrap-token'),
  };
}

/** Starts a node for each URL, all of them of one database. The first one creates the tables and the token. */
export async function startNodes(
  resources: AsyncDisposableStack,
  databaseUrls: readonly string[],
): Promise<[DemoService, ...DemoService[]]> {
  const settings = await createNodeSettings(resources);
  const nodes: DemoService[] = [];
  for (const url of databaseUrls)
    nodes.push(await startService(resources, { ...settings, CLOCHE_DATABASE_URL: url }));
  return nodes as [DemoService, ...DemoService[]];
}

/** A request to a node. */
export type NodeRequest = Omit<RepeatedRequest, 'body'> & { body?: string | Buffer };

/** Sends requests to one node, over connections that stay open. */
export class NodeClient {
  readonly #origin: string;
  readonly #agent = new Agent({ keepAlive: true });

  constructor({ origin }: { origin: string }) {
    this.#origin = origin;
  }

  /** Returns the status, the headers and the body. Status 0: the connection failed. */
  async send({ path, method, headers, body }: NodeRequest) {
    const { host } = new URL(this.#origin);
    const outgoing = request(this.#origin + path, {
      method,
      headers: { ...headers, host },
      agent: this.#agent,
    }).end(body);
    // The node may respond, and close the connection, before it has read the body.
    outgoing.on('error', () => {});
    try {
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      return { status: response.statusCode ?? 0, headers: response.headers, text };
    } catch (error) {
      if (!('code' in (error as Error))) throw error;
      return { status: 0, headers: {}, text: String(error) };
    }
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
