import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import type { PublicHost } from '../http/public-host.ts';
import { getOpenApiDocument } from './openapi.ts';
import { DOCS_PAGE_HEADERS, renderDocsPages } from './pages.ts';
import { makeStill, type Still, sendStill } from './still.ts';

const ASSETS_DIRECTORY = join(import.meta.dirname, 'assets');

const CONTENT_TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

const HIDDEN_SCHEMA = { hide: true };

/** /docs and /openapi.json: what the service says about itself, rendered once. */
export const docsRoutes: FastifyPluginAsync<{ publicHost: PublicHost }> = async (
  app,
  { publicHost },
) => {
  registerOpenApiRoute(app);
  const pages = renderDocsPages(publicHost.origin);
  for (const [path, html] of pages) {
    const page = makeStill('text/html; charset=utf-8', html);
    app.get(
      path,
      { config: { auth: 'public', produces: ['text/html'] }, schema: HIDDEN_SCHEMA },
      async (request, reply) => sendStill(request, reply.headers(DOCS_PAGE_HEADERS), page),
    );
  }
  for (const path of ['/', '/docs/']) {
    app.get(
      path,
      { config: { auth: 'public', produces: ['text/html'] }, schema: HIDDEN_SCHEMA },
      async (_request, reply) => reply.redirect('/docs', path === '/' ? 302 : 308),
    );
  }
  for (const name of readdirSync(ASSETS_DIRECTORY)) registerAsset(app, name);
};

/** The document is made when every route is known, and a fault in it stops the start-up. */
function registerOpenApiRoute(app: FastifyInstance): void {
  let document: Still;
  app.addHook('onReady', async () => {
    document = makeStill(
      'application/json; charset=utf-8',
      JSON.stringify(getOpenApiDocument(app)),
    );
  });
  app.get(
    '/openapi.json',
    { config: { auth: 'public' }, schema: HIDDEN_SCHEMA },
    async (request, reply) => sendStill(request, reply, document),
  );
}

function registerAsset(app: FastifyInstance, name: string): void {
  const type = CONTENT_TYPES[extname(name)];
  if (type === undefined) return;
  const file = makeStill(
    `${type}; charset=utf-8`,
    readFileSync(join(ASSETS_DIRECTORY, name), 'utf8'),
  );
  app.get(
    `/docs/assets/${name}`,
    { config: { auth: 'public', produces: [type] }, schema: HIDDEN_SCHEMA },
    async (request, reply) => sendStill(request, reply, file),
  );
}
