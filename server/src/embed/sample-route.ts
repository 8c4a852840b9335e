import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { FastifyPluginAsync } from 'fastify';
import { FRAMED_PAGE_HEADERS } from '../http/page-headers.ts';
import type { PublicHost } from '../http/public-host.ts';
import { createPreviewPolicy } from './content-security-policy.ts';
import type { ViewerBuild } from './viewer-build.ts';
import { parseViewerTemplate } from './viewer-template.ts';

export type SampleRouteOptions = {
  viewer: ViewerBuild;
  publicHost: PublicHost;
  /** The sample file: its URL on our own origin and its size. It is public. */
  model: ViewerConfig['model'];
};

const SAMPLE_ID = '00000000-0000-4000-8000-000000000000';

/**
 * The framed document with a sample file, for the page /docs/speed. It needs no token: it contains no data
 * of a design, and only pages of this service may frame it.
 */
export const sampleRoute: FastifyPluginAsync<SampleRouteOptions> = async (
  app,
  { viewer, publicHost, model },
) => {
  const html = parseViewerTemplate(viewer.languages.en.template)({
    design: { id: SAMPLE_ID, name: 'Sample' },
    model,
    grant: '',
    allowedOrigins: [publicHost.origin],
  });
  const headers = {
    ...FRAMED_PAGE_HEADERS,
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': createPreviewPolicy(viewer),
  };
  app.get(
    '/',
    { config: { auth: 'public', produces: ['text/html'] }, schema: { hide: true } },
    async (_request, reply) => reply.headers(headers).send(html),
  );
};
