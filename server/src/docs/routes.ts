import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Problem } from '@cloche/contract/problem';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { DOCS_PAGE_HEADERS } from '../http/page-headers.ts';
import type { PublicHost } from '../http/public-host.ts';
import { registerPlugin } from '../http/register-plugin.ts';
import { createRevalidatedAsset, type StaticAsset, sendStaticAsset } from '../http/static-asset.ts';
import { exampleRoutes } from './example-routes.ts';
import { getOpenApiDocument } from './openapi.ts';
import { DOCS_PATHS, type DocsScripts, renderDocsPage, renderMissingPage } from './pages.ts';

const ASSETS_DIRECTORY = join(import.meta.dirname, 'assets');

/** The file that a reader can try the requests with, and that /docs/speed measures. */
const SAMPLE = join(import.meta.dirname, '../../../demo/sample.glb');
const SAMPLE_URL = '/docs/assets/sample.glb';

/** The sample as a model of the viewer. */
export const SAMPLE_MODEL = { url: SAMPLE_URL, bytes: statSync(SAMPLE).size };

/** The picture in the guide of the console. */
const CONSOLE_PICTURE = join(import.meta.dirname, '../../../docs/console.webp');

const CONTENT_TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

let assets: ReadonlyMap<string, StaticAsset> | undefined;

const HIDDEN_SCHEMA = { hide: true };

/** /docs and /openapi.json. Each page is rendered once, for its first reader, with the public URL. */
export const docsRoutes: FastifyPluginAsync<{
  publicHost: PublicHost;
  scripts: DocsScripts;
  /** The modules of the React example, as one script. */
  reactModule: string;
}> = async (app, { publicHost, scripts, reactModule }) => {
  registerOpenApiRoute(app);
  const examples = { publicUrl: publicHost.origin, reactModule };
  await registerPlugin(app, exampleRoutes, { prefix: '/docs/examples', ...examples });
  for (const path of DOCS_PATHS) {
    let page: StaticAsset | undefined;
    app.get(
      path,
      { config: { auth: 'public', produces: ['text/html'] }, schema: HIDDEN_SCHEMA },
      async (request, reply) => {
        const html = () => renderDocsPage(path, publicHost.origin, scripts);
        page ??= createRevalidatedAsset('text/html; charset=utf-8', html());
        return sendStaticAsset(request, reply.headers(DOCS_PAGE_HEADERS), page);
      },
    );
  }
  app.get(
    '/docs/',
    { config: { auth: 'public', produces: ['text/html'] }, schema: HIDDEN_SCHEMA },
    async (_request, reply) => reply.redirect('/docs', 308),
  );
  for (const [path, asset] of getAssets()) registerAsset(app, path, asset);
  registerMissingPage(app, scripts);
};

/** Responds to unknown paths below /docs: with a page to browsers, with a problem to other clients. */
function registerMissingPage(app: FastifyInstance, scripts: DocsScripts): void {
  const html = renderMissingPage(scripts);
  app.get(
    '/docs/*',
    { config: { auth: 'public', produces: MISSING_PAGE_TYPES }, schema: HIDDEN_SCHEMA },
    async (request, reply) => {
      // Only browsers ask for HTML by name: other clients accept JSON, or anything.
      if (!request.headers.accept?.includes('text/html')) {
        throw new Problem('route.unknown', { detail: MISSING_PAGE_DETAIL });
      }
      return reply
        .code(404)
        .headers({ ...DOCS_PAGE_HEADERS, 'content-type': 'text/html; charset=utf-8' })
        .send(html);
    },
  );
}

const MISSING_PAGE_TYPES = ['text/html', 'application/problem+json', 'application/json'];
const MISSING_PAGE_DETAIL =
  'The documentation has no page at this address. /docs is its first page.';

/** The document is created for its first reader. */
function registerOpenApiRoute(app: FastifyInstance): void {
  let document: StaticAsset | undefined;
  app.get(
    '/openapi.json',
    { config: { auth: 'public' }, schema: HIDDEN_SCHEMA },
    async (request, reply) => {
      document ??= createRevalidatedAsset(
        'application/json; charset=utf-8',
        JSON.stringify(getOpenApiDocument(app)),
      );
      return sendStaticAsset(request, reply, document);
    },
  );
}

/** Returns the files that the pages load, by path. They are read once, for all apps of a process. */
function getAssets(): ReadonlyMap<string, StaticAsset> {
  assets ??= new Map([
    ...readdirSync(ASSETS_DIRECTORY).flatMap(readAsset),
    [SAMPLE_URL, createRevalidatedAsset('model/gltf-binary', readFileSync(SAMPLE))],
    ['/docs/console.webp', createRevalidatedAsset('image/webp', readFileSync(CONSOLE_PICTURE))],
  ]);
  return assets;
}

function readAsset(name: string): [path: string, asset: StaticAsset][] {
  const contentType = CONTENT_TYPES[extname(name)];
  if (contentType === undefined) return [];
  const text = readFileSync(join(ASSETS_DIRECTORY, name), 'utf8');
  return [[`/docs/assets/${name}`, createRevalidatedAsset(`${contentType}; charset=utf-8`, text)]];
}

function registerAsset(app: FastifyInstance, path: string, asset: StaticAsset): void {
  const [contentType = ''] = asset.contentType.split(';');
  app.get(
    path,
    { config: { auth: 'public', produces: [contentType] }, schema: HIDDEN_SCHEMA },
    async (request, reply) => sendStaticAsset(request, reply, asset),
  );
}
