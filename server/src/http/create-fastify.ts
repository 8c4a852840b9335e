import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { AnySchema } from 'ajv';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  type FastifySchemaCompiler,
  type FastifySerializerCompiler,
} from 'fastify';
import { AccessLogController } from './access-log.ts';
import { allowOrigin } from './cors.ts';
import { drainBodyAfterResponse } from './drain-body.ts';
import { clientErrorHandler, errorHandler } from './error-handler.ts';
import type { Logger } from './logger.ts';
import { createRequestIdGenerator } from './request-id.ts';
import type { Timeouts } from './timeouts.ts';

/** Compilers of the schemas of routes. */
type SchemaCompilers = {
  compileValidator: FastifySchemaCompiler<AnySchema>;
  compileSerializer: FastifySerializerCompiler<object>;
};

type FastifyTimeouts = Pick<Timeouts, 'headersMs' | 'idleMs' | 'bodyDrainMs'>;

/**
 * Creates the Fastify instance, without routes. It limits headers, validates and logs requests, and converts errors
 * to responses.
 */
export function createFastify(
  log: Logger,
  { headersMs, idleMs, bodyDrainMs }: FastifyTimeouts,
  { compileValidator, compileSerializer }: SchemaCompilers,
) {
  const drainBody = (request: FastifyRequest, reply: FastifyReply) =>
    drainBodyAfterResponse(request.raw, reply.raw, bodyDrainMs);
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new AccessLogController(log),
    genReqId: createRequestIdGenerator(),
    connectionTimeout: idleMs,
    // graceful-shutdown.ts closes them.
    forceCloseConnections: false,
    routerOptions: { maxParamLength: 200 },
    http: {
      // host-check.ts refuses requests without a Host header.
      requireHostHeader: false,
      headersTimeout: headersMs,
      // Bodies have their own timeouts: an upload may take any time while its bytes arrive.
      requestTimeout: 0,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: 16 * 1024,
    },
    clientErrorHandler,
    // For URLs that cannot be routed. Fastify runs no hooks for them.
    frameworkErrors: (error, request, reply) => {
      drainBody(request, reply);
      allowOrigin(request, reply);
      errorHandler(error, request, reply);
    },
    // Requests that arrive on open connections during a shutdown are served; /readyz reports the
    // shutdown.
    return503OnClosing: false,
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.decorateRequest('problemCode', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    drainBody(request, reply);
    done();
  });
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(compileSerializer);
  app.setErrorHandler(errorHandler);
  return app;
}
