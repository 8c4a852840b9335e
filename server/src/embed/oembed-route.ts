import { Problem } from '@cloche/contract/problem';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import type { PublicHost } from '../http/public-host.ts';
import { getSharedDesign, type ShareStores } from './authorize-share.ts';
import { assertReady } from './authorize-view.ts';
import { createOEmbed, parseShareUrl, toOEmbedXml } from './oembed.ts';

type OEmbedRouteDependencies = ShareStores & { publicHost: PublicHost };

const Pixels = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000, description }));
const OEmbedQuery = Type.Object({
  url: Type.String({ maxLength: 2000, description: 'The address of a share page.' }),
  format: Type.Optional(Type.String({ description: '`json` (default) or `xml`.' })),
  maxwidth: Pixels('The largest width of the embed, in pixels.'),
  maxheight: Pixels('The largest height of the embed, in pixels.'),
});

const MEDIA_TYPES = ['application/json', 'text/xml'];
/** Some clients accept only the types of the links to this route. */
const ACCEPTED_TYPES = [...MEDIA_TYPES, ...MEDIA_TYPES.map((type) => `${type}+oembed`)];

/** Every page may read the response: it has no data that the share page does not show. */
const HEADERS = {
  'access-control-allow-origin': '*',
  // The owner may withdraw the permission at any time.
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
};

/** GET /oembed: how another site embeds a shared design, by https://oembed.com. */
export const oEmbedRoute: FastifyPluginAsyncTypebox<OEmbedRouteDependencies> = async (
  app,
  { publicHost, ...stores },
) => {
  app.get(
    '/',
    {
      // Clients choose the type by `format`.
      config: { auth: 'public', formerHosts: true, produces: ACCEPTED_TYPES },
      schema: {
        tags: ['embed'],
        summary: 'Get the oEmbed description of a share page',
        description:
          'Follows https://oembed.com: the response has the type `rich`. Other parameters are ignored, because clients of oEmbed add their own. 404 for a page that is not shared, 501 for another format.',
        querystring: OEmbedQuery,
        produces: MEDIA_TYPES,
      },
      onRequest: async (_request, reply) => {
        reply.headers(HEADERS);
      },
    },
    async ({ query }, reply) => {
      const { url, format = 'json', maxwidth: maxWidth, maxheight: maxHeight } = query;
      if (format !== 'json' && format !== 'xml') {
        const detail = 'query.format: must be "json" or "xml".';
        throw new Problem('oembed.format', { field: 'query.format', detail });
      }
      const design = await getSharedDesign(stores, parseShareUrl(url, publicHost));
      assertReady(design);
      const response = createOEmbed(design, { maxWidth, maxHeight }, publicHost.origin);
      if (format === 'json')
        return reply.type('application/json; charset=utf-8').send(JSON.stringify(response));
      return reply.type('text/xml; charset=utf-8').send(toOEmbedXml(response));
    },
  );
};
