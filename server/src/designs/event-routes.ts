import type { OutgoingHttpHeaders } from 'node:http';
import type { Design } from '@cloche/contract/design';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import { mayStillReadDesign } from '../tokens/authorize.ts';
import type { TokenMonitor } from '../tokens/token-monitor.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { type DesignRecord, isSettled } from './design.ts';
import type { DesignStore } from './design-store.ts';
import type { DesignWatcher } from './design-watcher.ts';
import { DesignIdParams, getAccessibleDesign } from './get-accessible-design.ts';

export type DesignEventRouteDependencies = {
  designs: DesignStore;
  watcher: DesignWatcher;
  tokens: Pick<TokenStore, 'findById'>;
  tokenMonitor: TokenMonitor;
  now: () => Date;
};

const EVENT_STREAM_TYPE = 'text/event-stream';

/** Interval of comments in the event stream: proxies close idle connections. */
const HEARTBEAT_INTERVAL_MS = 15_000;

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
            content: { [EVENT_STREAM_TYPE]: { schema: Type.String() } },
          },
        },
      },
    },
    async (request, reply) => {
      const { id } = await getAccessibleDesign(designs, request.token, request.params.id);
      reply.hijack();
      const ended = new AbortController();
      reply.raw.once('close', () => ended.abort());
      using _token = tokenMonitor.watch(request.token.id, () => ended.abort());
      const signal = AbortSignal.any([shutdown.signal, ended.signal]);
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
  const { raw } = reply;
  raw.writeHead(200, {
    // Set by hooks. Fastify does not send the headers of a hijacked reply.
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'content-type': EVENT_STREAM_TYPE,
    // Keeps nginx from buffering the events.
    'x-accel-buffering': 'no',
  });
  const heartbeat = setInterval(() => raw.write(':\n\n'), HEARTBEAT_INTERVAL_MS);
  let sentVersion = '';
  let sentProgress = '';
  try {
    for await (const record of changes) {
      const design = await toDesign(record);
      if (design === undefined) break;
      const version = `${design.status} ${design.updatedAt}`;
      if (version !== sentVersion) raw.write(formatEvent('design', design));
      sentVersion = version;
      const progress = JSON.stringify(design.progress);
      if (design.progress !== null && progress !== sentProgress) {
        raw.write(formatEvent('progress', design.progress));
        sentProgress = progress;
      }
      if (isSettled(record)) break;
    }
  } finally {
    clearInterval(heartbeat);
    raw.end();
  }
}

/** The JSON has no line breaks, so one `data` line is enough. */
function formatEvent(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
