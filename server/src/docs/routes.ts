import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import type { PublicHost } from '../http/hosts.ts';
import { apiDocument } from './openapi.ts';
import { PAGE_HEADERS, renderPages } from './pages.ts';
import { makeStill, type Still, sendStill } from './still.ts';

const ASSETS = join(import.meta.dirname, 'assets');

const TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

const hidden = { hide: true };

/** /docs and /openapi.json: what the service says about itself, rendered once. */
export const docsRoutes: FastifyPluginAsync<{ publicHost: PublicHost }> = async (
  app,
  { publicHost },
) => {
  describeApi(app);
  const pages = renderPages(publicHost.origin);
  for (const [path, html] of pages) {
    const page = makeStill('text/html; charset=utf-8', html);
    app.get(
      path,
      { config: { needs: 'nothing', produces: ['text/html'] }, schema: hidden },
      async (request, reply) => sendStill(request, reply.headers(PAGE_HEADERS), page),
    );
  }
  for (const path of ['/', '/docs/']) {
    app.get(
      path,
      { config: { needs: 'nothing', produces: ['text/html'] }, schema: hidden },
      async (_request, reply) => reply.redirect('/docs', path === '/' ? 302 : 308),
    );
  }
  for (const name of readdirSync(ASSETS)) addAsset(app, name);
};

/** The document is made when every route is known, and a fault in it stops the start-up. */
function describeApi(app: FastifyInstance): void {
  let document: Still;
  app.addHook('onReady', async () => {
    document = makeStill('application/json; charset=utf-8', JSON.stringify(apiDocument(app)));
  });
  app.get(
    '/openapi.json',
    { config: { needs: 'nothing' }, schema: hidden },
    async (request, reply) => sendStill(request, reply, document),
  );
}

function addAsset(app: FastifyInstance, name: string): void {
  const type = TYPES[extname(name)];
  if (type === undefined) return;
  const file = makeStill(`${type}; charset=utf-8`, readFileSync(join(ASSETS, name), 'utf8'));
  app.get(
    `/docs/assets/${name}`,
    { config: { needs: 'nothing', produces: [type] }, schema: hidden },
    async (request, reply) => sendStill(request, reply, file),
  );
}
