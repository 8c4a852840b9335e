import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Logger } from './logger.ts';
import { redactPath } from './redact-tokens.ts';

/**
 * Replaces Fastify's request log: one line per request, when its response is finished or aborted,
 * without query, headers and body. Requests whose URL cannot be routed are logged too.
 */
export class AccessLogController extends LogController {
  readonly #log: Logger;

  constructor(log: Logger) {
    super({ disableRequestLogging: true });
    this.#log = log;
  }

  override incomingRequest(request: FastifyRequest, reply: FastifyReply): void {
    // The level may be changed at run time.
    if (!this.#log.isLevelEnabled('info')) return;
    const { raw } = reply;
    const startMs = performance.now();
    let logged = false;
    const log = (aborted: boolean) => {
      if (logged) return;
      logged = true;
      request.log.info(
        {
          method: request.method,
          path: redactPath(request.url),
          status: raw.headersSent ? raw.statusCode : null,
          durationMs: Math.round((performance.now() - startMs) * 10) / 10,
          ...(aborted && { aborted }),
        },
        'request',
      );
    };
    raw.on('finish', () => log(false));
    raw.on('close', () => log(true));
  }

  /**
   * Without a listener, a write after the end of a response would end the process. Fastify has removed its own
   * listener by now.
   */
  override requestCompleted(_error: Error | null, request: FastifyRequest, { raw }: FastifyReply) {
    raw.on('error', (err) => request.log.error({ err }, 'write after the end of a response'));
  }
}
