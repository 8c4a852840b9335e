import { UUID_PATTERN } from '@cloche/contract/id';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import type { DesignStore } from './design-store.ts';
import { type DesignWatcher, isSettled } from './design-watcher.ts';
import { getOwnedDesign } from './routes.ts';

type DesignEventRouteDependencies = { designs: DesignStore; watcher: DesignWatcher };

const DesignIdParams = Type.Object({
  id: Type.String({ pattern: UUID_PATTERN, description: 'The id of the design: a UUID.' }),
});

const EVENT_STREAM_TYPE = 'text/event-stream';

/** Proxies cut connections on which nothing is said. */
const HEARTBEAT_INTERVAL_MS = 15_000;

/** GET /v1/designs/{id}/events: how far a design is, as it happens. */
export const designEventRoutes: FastifyPluginAsyncTypebox<DesignEventRouteDependencies> = async (
  app,
  { designs, watcher },
) => {
  const stopping = new AbortController();
  app.addHook('preClose', async () => stopping.abort());

  app.get(
    '/:id/events',
    {
      // Its answer would come when all is over.
      exposeHeadRoute: false,
      config: { auth: 'read', produces: [EVENT_STREAM_TYPE] },
      schema: {
        tags: ['designs'],
        summary: 'Follow a design while it is processed',
        description:
          'Server-sent events. `progress`: `{"step", "percent"}`. `design`: the design as `GET` shows it, at once and whenever its status changes. The stream ends when the design is ready or failed.',
        params: DesignIdParams,
        produces: [EVENT_STREAM_TYPE],
        response: {
          200: {
            description: 'Events',
            content: { [EVENT_STREAM_TYPE]: { schema: Type.String() } },
          },
        },
      },
    },
    async (request, reply) => {
      const { id } = await getOwnedDesign(designs, request.token, request.params.id);
      reply.hijack();
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const signal = AbortSignal.any([stopping.signal, gone.signal]);
      await streamEvents(reply, id, watcher, signal);
    },
  );
};

async function streamEvents(
  { raw }: FastifyReply,
  id: string,
  views: DesignWatcher,
  signal: AbortSignal,
) {
  raw.writeHead(200, {
    'content-type': EVENT_STREAM_TYPE,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // For proxies that would gather the events.
    'x-accel-buffering': 'no',
  });
  const beat = setInterval(() => raw.write(':\n\n'), HEARTBEAT_INTERVAL_MS);
  let status = '';
  let progress = '';
  try {
    for await (const design of views.watch(id, signal)) {
      const view = views.toDesign(design);
      if (`${view.status} ${view.updatedAt}` !== status) {
        status = `${view.status} ${view.updatedAt}`;
        raw.write(formatEvent('design', view));
      }
      const now = JSON.stringify(view.progress);
      if (view.progress !== null && now !== progress) {
        progress = now;
        raw.write(formatEvent('progress', view.progress));
      }
      if (isSettled(design)) break;
    }
  } finally {
    clearInterval(beat);
    raw.end();
  }
}

/** JSON has no line breaks outside strings, and none inside them, so one line of data will do. */
function formatEvent(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
