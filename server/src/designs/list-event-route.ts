import type { ProcessingProgress } from '@cloche/contract/design';
import { Problem } from '@cloche/contract/problem';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ConcurrencyLimiter } from '../http/concurrency-limiter.ts';
import { createClientSignal } from '../http/on-client-closed.ts';
import { TextBody } from '../http/route-schemas.ts';
import { mayStillReadDesign } from '../tokens/authorize.ts';
import type { DesignChange, DesignChanges } from './design-changes.ts';
import type { DesignEventRouteDependencies } from './event-routes.ts';
import { EVENT_STREAM_TYPE, EventStream } from './event-stream.ts';
import { PendingChanges } from './pending-changes.ts';

type ListEventDependencies = Omit<DesignEventRouteDependencies, 'designs'> & {
  changes: DesignChanges;
};

/** Event streams of one user that are open at the same time, on this node. */
export const MAX_STREAMS_PER_USER = 64;

/** GET /v1/designs/events: the changes of all designs of the user as server-sent events. */
export const designListEventRoute: FastifyPluginAsyncTypebox<ListEventDependencies> = async (
  app,
  { changes, tokenMonitor, ...dependencies },
) => {
  const shutdown = new AbortController();
  app.addHook('preClose', async () => shutdown.abort());
  const streams = new ConcurrencyLimiter(MAX_STREAMS_PER_USER, createTooManyStreamsError);

  app.get(
    '/events',
    {
      // A HEAD request would get no response until the stream ends.
      exposeHeadRoute: false,
      config: { auth: 'read', produces: [EVENT_STREAM_TYPE] },
      schema: {
        tags: ['designs'],
        summary: 'Stream the changes of all designs',
        description:
          'Server-sent events about the designs that the token may read. `design`: a design as `GET` returns it, after it was created or changed. `progress`: `{"id", "step", "percent", "preview"}`. `deleted`: `{"id"}`. `reset`: `{}`, changes may have been missed, so read the lists again; do this also after each new connection. Progress that is soon followed by more is not sent. The stream ends when the token or the session becomes invalid.',
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
      using _slot = streams.acquire(request.token.user);
      reply.hijack();
      const tokenEnded = new AbortController();
      using _token = tokenMonitor.watch(request, () => tokenEnded.abort());
      const pending = new PendingChanges();
      using _changes = changes.subscribe(request.token.user, (change) => pending.add(change));
      using stream = new EventStream(reply);
      // So that the client knows that it is connected.
      stream.comment();
      const signal = AbortSignal.any([
        shutdown.signal,
        tokenEnded.signal,
        createClientSignal(reply.raw),
      ]);
      for await (const change of pending.take(signal)) {
        const isRead = await sendChange(stream, change, request.token.id, dependencies);
        if (!isRead) await stream.drained(signal).catch(() => undefined);
      }
    },
  );
};

/** Sends a change if the token may still read the design. Returns false if the client does not read as fast. */
async function sendChange(
  stream: EventStream,
  change: DesignChange,
  tokenId: string,
  { tokens, watcher, now }: Pick<ListEventDependencies, 'tokens' | 'watcher' | 'now'>,
): Promise<boolean> {
  if (change.type === 'reset') return stream.send('reset', {});
  const token = await tokens.findById(tokenId);
  if (token === undefined || !mayStillReadDesign(token, change.design, now())) return true;
  const { id } = change.design;
  if (change.type === 'deleted') return stream.send('deleted', { id });
  const design = watcher.toDesign(change.design, token);
  if (change.type === 'design') return stream.send('design', design);
  const { progress } = design;
  return progress === null || stream.send('progress', { id, ...progress } satisfies DesignProgress);
}

type DesignProgress = ProcessingProgress & { id: string };

function createTooManyStreamsError(count: number): Problem {
  return new Problem('request.rate-limited', {
    detail: `Your user has ${count} event streams open, and no more are allowed. Close one, and retry.`,
    retryAfterSeconds: 5,
  });
}
