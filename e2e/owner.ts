import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { DesignView } from '@cloche/contract/design';
import { type Framed, GRANT_HEADER } from '@cloche/contract/framed';
import type { RealService } from './real-service.ts';

/** How an upload was answered: a design, or a problem. */
export type Sent = { status: number; text: string; view: DesignView & { code?: string } };

/** An address in a frame, and what a browser says when it opens it there. */
export type Visit = { url: string; headers: Record<string, string> };

const SHOP = 'http://shop.test';
const PATIENCE_MS = 120_000;

/** Who owns designs, and speaks to the real service over HTTP. */
export class Owner {
  readonly #service: RealService;
  readonly #secret: string;
  #embedToken: Promise<string> | undefined;

  private constructor(service: RealService, secret: string) {
    this.#service = service;
    this.#secret = secret;
  }

  static async of(service: RealService): Promise<Owner> {
    return new Owner(service, await service.firstToken());
  }

  ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#secret}`, ...init.headers };
    return fetch(this.#service.origin + path, { ...init, headers });
  }

  /** Uploads a file, and waits for what becomes of it if so wished. */
  async send(bytes: Uint8Array, { path = '/v1/designs', waitS = 60 } = {}): Promise<Sent> {
    const answer = await this.ask(path, {
      method: path === '/v1/designs' ? 'POST' : 'PUT',
      headers: { 'content-type': 'application/octet-stream', prefer: `wait=${waitS}` },
      body: new Uint8Array(bytes),
    });
    const text = await answer.text();
    return { status: answer.status, text, view: JSON.parse(text) };
  }

  async read(id: string): Promise<DesignView> {
    const answer = await this.ask(`/v1/designs/${id}`);
    assert.equal(answer.status, 200, `design ${id} is lost`);
    return (await answer.json()) as DesignView;
  }

  /** The design when nothing more becomes of it by itself; one that is stuck fails the test. */
  async settled(id: string): Promise<DesignView> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const design = await this.read(id);
      if (design.status === 'ready' || design.status === 'failed') return design;
      assert.ok(Date.now() < deadline, `design ${id} is stuck: ${JSON.stringify(design)}`);
      await wait(50);
    }
  }

  /** The file as it was sent. */
  async source(id: string): Promise<Buffer> {
    const answer = await this.ask(`/v1/designs/${id}/model`);
    assert.equal(answer.status, 200, `the file of ${id} is lost`);
    return Buffer.from(await answer.arrayBuffer());
  }

  /** A frame on a page of that origin, as its visitor's browser opens it. */
  async visit(id: string, origin = SHOP): Promise<Visit> {
    const token = await (origin === SHOP
      ? // biome-ignore lint/suspicious/noAssignInExpressions: made once
        (this.#embedToken ??= this.#issue(origin))
      : this.#issue(origin));
    return {
      url: `${this.#service.origin}/embed/iframe/v1/${id}?token=${token}`,
      headers: { 'sec-fetch-dest': 'iframe', referer: `${origin}/` },
    };
  }

  /** What the framed document of a design tells the viewer. */
  async framed(id: string): Promise<Framed> {
    const { status, body } = await get(await this.visit(id));
    assert.equal(status, 200, `the frame of ${id}: ${status}`);
    return JSON.parse(/id="framed">(.*?)<\/script>/.exec(body.toString())?.[1] ?? '');
  }

  /** A file that the framed document names: the model when no other is said. */
  async artifact({ grant, model }: Framed, path = model.url): Promise<Buffer> {
    const url = new URL(path, this.#service.origin).href;
    const { status, body } = await get({ url, headers: { [GRANT_HEADER]: grant } });
    assert.equal(status, 200, `${path}: ${status}`);
    return body;
  }

  async #issue(origin: string): Promise<string> {
    const wish = { capabilities: ['embed'], origins: [origin], type: 'api', user: '~' };
    const answer = await this.ask('/v1/tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(wish),
    });
    assert.equal(answer.status, 201);
    return ((await answer.json()) as { token: string }).token;
  }
}

/** With headers that `fetch` does not let through. */
async function get({ url, headers }: Visit): Promise<{ status: number; body: Buffer }> {
  const outgoing = request(url, { headers, agent: false }).end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  const body = Buffer.concat(await Array.fromAsync(answer as AsyncIterable<Buffer>));
  return { status: answer.statusCode ?? 0, body };
}
