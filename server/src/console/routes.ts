import { Problem } from '@cloche/contract/problem';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { negotiateMediaType } from '../http/content-negotiation.ts';
import { CONSOLE_PAGE_HEADERS } from '../http/page-headers.ts';
import type { PublicHost } from '../http/public-host.ts';
import { FileParams } from '../http/route-schemas.ts';
import { createRevalidatedAsset, sendStaticAsset } from '../http/static-asset.ts';
import type { ConsoleBuild } from './console-build.ts';

const HTML_OR_JSON = ['text/html', 'application/json'];

/** The console at `/console`, and its files. Its scripts choose the page by the path. */
export const consoleRoutes: FastifyPluginAsyncTypebox<{
  build: ConsoleBuild;
  publicHost: PublicHost;
}> = async (app, { build, publicHost }) => {
  const page = createRevalidatedAsset('text/html; charset=utf-8', build.page);
  const { origin } = publicHost;
  const links = { openapi: `${origin}/openapi.json`, docs: `${origin}/docs` };

  app.get(
    '/',
    { config: { auth: 'public', produces: HTML_OR_JSON }, schema: { hide: true } },
    async (request, reply) => {
      reply.header('vary', 'accept');
      if (negotiateMediaType(request, HTML_OR_JSON) !== 'text/html') return reply.send(links);
      return reply.redirect(`${origin}/console`, 302);
    },
  );

  for (const path of ['/console', '/console/*']) {
    app.get(
      path,
      { config: { auth: 'public', produces: ['text/html'] }, schema: { hide: true } },
      async (request, reply) => {
        // A session works at the public URL only, and all loopback names reach this route.
        if (!publicHost.isConfiguredHost(request.headers.host ?? ''))
          return reply.redirect(`${origin}/console`, 302);
        return sendStaticAsset(request, reply.headers(CONSOLE_PAGE_HEADERS), page);
      },
    );
  }

  app.get(
    '/console/assets/:file',
    {
      config: { auth: 'public', produces: ['*/*'] },
      schema: { hide: true, params: FileParams },
    },
    async (request, reply) => {
      const asset = build.assets.get(request.params.file);
      if (asset === undefined) throw new Problem('route.unknown');
      return sendStaticAsset(request, reply, asset);
    },
  );
};
