import { UUID } from '@cloche/contract/id';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import type { Designs } from './designs.ts';
import { getDesign } from './routes.ts';
import { isSettled, type Views } from './views.ts';

type Given = { designs: Designs; views: Views };

const ById = Type.Object({
  id: Type.String({ pattern: UUID, description: 'The id of the design: a UUID.' }),
});

const EVENT_STREAM = 'text/event-stream';

/** Proxies cut connections on which nothing is said. */
const BEAT_MS = 15_000;

/** GET /v1/designs/{id}/events: how far a design is, as it happens. */
export const designEvents: FastifyPluginAsyncTypebox<Given> = async (app, { designs, views }) => {
  const stopping = new AbortController();
  app.addHook('preClose', async () => stopping.abort());

  app.get(
    '/:id/events',
    {
      // Its answer would come when all is over.
      exposeHeadRoute: false,
      config: { needs: 'read', produces: [EVENT_STREAM] },
      schema: {
        tags: ['designs'],
        summary: 'Follow a design while it is processed',
        description:
          'Server-sent events. `progress`: `{"step", "percent"}`. `design`: the design as `GET` shows it, at once and whenever its status changes. The stream ends when the design is ready or failed.',
        params: ById,
        produces: [EVENT_STREAM],
        response: {
          200: { description: 'Events', content: { [EVENT_STREAM]: { schema: Type.String() } } },
        },
      },
    },
    async (request, reply) => {
      const { id } = await getDesign(designs, request.caller, request.params.id);
      reply.hijack();
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const signal = AbortSignal.any([stopping.signal, gone.signal]);
      await tell(reply, id, views, signal);
    },
  );
};

async function tell({ raw }: FastifyReply, id: string, views: Views, signal: AbortSignal) {
  raw.writeHead(200, {
    'content-type': EVENT_STREAM,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // For proxies that would gather the events.
    'x-accel-buffering': 'no',
  });
  const beat = setInterval(() => raw.write(':\n\n'), BEAT_MS);
  let status = '';
  let progress = '';
  try {
    for await (const design of views.follow(id, signal)) {
      const view = views.of(design);
      if (`${view.status} ${view.updatedAt}` !== status) {
        status = `${view.status} ${view.updatedAt}`;
        raw.write(event('design', view));
      }
      const now = JSON.stringify(view.progress);
      if (view.progress !== null && now !== progress) {
        progress = now;
        raw.write(event('progress', view.progress));
      }
      if (isSettled(design)) break;
    }
  } finally {
    clearInterval(beat);
    raw.end();
  }
}

/** JSON has no line breaks outside strings, and none inside them, so one line of data will do. */
function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
