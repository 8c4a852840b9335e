import { Problem } from '@cloche/contract/problem';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { FileParams } from '../http/route-schemas.ts';
import { sendStaticAsset } from '../http/static-asset.ts';
import type { SdkBuild } from './sdk-build.ts';

/**
 * /sdk/v1: the scripts that pages load to control their embeds. The path has the version of the protocol: a page keeps its script
 * tag over all releases. Pages that were made under a former address load them from there.
 */
export const sdkRoutes: FastifyPluginAsyncTypebox<{ build: SdkBuild }> = async (app, { build }) => {
  app.get(
    '/:file',
    {
      config: { auth: 'public', formerHosts: true, produces: ['*/*'] },
      schema: { hide: true, params: FileParams },
    },
    async (request, reply) => {
      const asset = build.get(request.params.file);
      if (asset === undefined) throw new Problem('route.unknown');
      return sendStaticAsset(request, reply, asset);
    },
  );
};
