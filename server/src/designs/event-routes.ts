import type { Design } from '@cloche/contract/design';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { createClientSignal } from '../http/on-client-closed.ts';
import { TextBody } from '../http/route-schemas.ts';
import { mayStillReadDesign } from '../tokens/authorize.ts';
import type { TokenMonitor } from '../tokens/token-monitor.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { type DesignRecord, isSettled } from './design.ts';
import type { DesignStore } from './design-store.ts';
import type { DesignWatcher } from './design-watcher.ts';
import { EVENT_STREAM_TYPE, EventStream } from './event-stream.ts';
import { DesignIdParams, getAccessibleDesign } from './get-accessible-design.ts';

export type DesignEventRouteDependencies = {
  designs: DesignStore;
  watcher: DesignWatcher;
  tokens: Pick<TokenStore, 'findById'>;
  tokenMonitor: TokenMonitor;
  now: () => Date;
};

/** GET /v1/designs/{id}/events: the processing progress of a design as server-sent events. */
export const designEventRoutes: FastifyPluginAsyncTypebox<DesignEventRouteDependencies> = async (
  app,
  { designs, watcher, tokens, tokenMonitor, now },
) => {
  const shutdown = new AbortController();
  app.addHook('preClose', async () => shutdown.abort());

  app.get(
    '/:id/events',
    {
      // A HEAD request would get no response until the stream ends.
      exposeHeadRoute: false,
      config: { auth: 'read', produces: [EVENT_STREAM_TYPE] },
      schema: {
        tags: ['designs'],
        summary: 'Stream the processing progress of a design',
        description:
          'Server-sent events. `progress`: `{"step", "percent", "preview"}`. `design`: the design as `GET` returns it, first and after each change. The stream ends when the design is ready or failed, when its newest revision is cancelled, when it is deleted, and when the token may no longer read it.',
        params: DesignIdParams,
        produces: [EVENT_STREAM_TYPE],
        response: {
          200: {
            description: 'Events',
            content: { [EVENT_STREAM_TYPE]: { schema: TextBody } },
          },
        },
      },
    },
    async (request, reply) => {
      const { id } = await getAccessibleDesign(designs, request.token, request.params.id);
      reply.hijack();
      const tokenEnded = new AbortController();
      using _token = tokenMonitor.watch(request, () => tokenEnded.abort());
      const signal = AbortSignal.any([
        shutdown.signal,
        tokenEnded.signal,
        createClientSignal(reply.raw),
      ]);
      await streamEvents(reply, watcher.watch(id, signal), async (design) => {
        const token = await tokens.findById(request.token.id);
        return token !== undefined && mayStillReadDesign(token, design, now())
          ? watcher.toDesign(design, token)
          : undefined;
      });
    },
  );
};

/** Sends events until the design is settled, or `toDesign` returns undefined: the token may no longer read it. */
async function streamEvents(
  reply: FastifyReply,
  changes: AsyncIterable<DesignRecord>,
  toDesign: (design: DesignRecord) => Promise<Design | undefined>,
): Promise<void> {
  using stream = new EventStream(reply);
  let sentVersion = '';
  let sentProgress = '';
  for await (const record of changes) {
    const design = await toDesign(record);
    if (design === undefined) return;
    const version = `${design.status} ${design.updatedAt}`;
    if (version !== sentVersion) stream.send('design', design);
    sentVersion = version;
    const progress = JSON.stringify(design.progress);
    if (design.progress !== null && progress !== sentProgress) {
      stream.send('progress', design.progress);
      sentProgress = progress;
    }
    if (isSettled(record)) return;
  }
}
