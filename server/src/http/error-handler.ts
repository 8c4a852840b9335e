import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem, type ProblemCode } from '@cloche/contract/problem';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { formatValidationError } from './format-validation-error.ts';

export const PROBLEM_CONTENT_TYPE = 'application/problem+json; charset=utf-8';

/** Turns whatever a route threw into a reply, and logs what is our fault. The only place that does. */
export function errorHandler(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const problem = toProblem(error, getConsumedTypes(request));
  if (isServerError(problem)) request.log.error({ reqId: request.id, err: error }, problem.code);
  else if (problem.cause !== undefined)
    request.log.info({ reqId: request.id, err: problem.cause }, problem.code);
  return sendProblem(problem, request, reply);
}

/** Something to look into, and not a moment's shortage that says when it ends. */
export function isServerError({ status, retryAfterSeconds }: Problem): boolean {
  return status >= 500 && retryAfterSeconds === undefined;
}

/** Sends a problem as it is. */
function sendProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (problem.status >= 500) reply.header('x-request-id', request.id);
  if (problem.retryAfterSeconds !== undefined)
    reply.header('retry-after', problem.retryAfterSeconds);
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer realm="Cloche"');
  return reply
    .code(problem.status)
    .header('content-type', PROBLEM_CONTENT_TYPE)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .serializer((body: unknown) => body as string)
    .send(JSON.stringify(problem));
}

const PROBLEM_BY_FASTIFY_CODE: Record<string, ProblemCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'request.too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'request.media-type',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'request.broken-json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'request.malformed',
  FST_ERR_BAD_URL: 'request.malformed',
  FST_ERR_ASYNC_CONSTRAINT: 'request.malformed',
  FST_ERR_MAX_PARAM_LENGTH: 'route.unknown',
  FST_REQ_FILE_TOO_LARGE: 'design.too-large',
  FST_INVALID_MULTIPART_CONTENT_TYPE: 'request.media-type',
};

/** The media types that a route reads. Absent for addresses that cannot be routed. */
function getConsumedTypes({ routeOptions }: FastifyRequest): readonly string[] {
  const { consumes } = (routeOptions?.schema ?? {}) as { consumes?: readonly string[] };
  return consumes ?? ['application/json'];
}

/** What a route threw, as the client is to hear it. `types` are those that the route reads. */
export function toProblem(error: FastifyError | Error, types: readonly string[] = []): Problem {
  if (error instanceof Problem) return error;
  if ('validation' in error && error.validation) {
    const { field, detail } = formatValidationError(
      error.validation,
      error.validationContext ?? 'body',
    );
    return new Problem('request.invalid', { field, detail });
  }
  const code = 'code' in error ? PROBLEM_BY_FASTIFY_CODE[String(error.code)] : undefined;
  if (code === 'request.media-type') {
    const detail = `Send the header Content-Type with a type that this route reads: ${types.join(', ')}.`;
    return new Problem(code, { field: 'header.content-type', detail });
  }
  // Without its cause: that may quote the address, and with it a token.
  if (code !== undefined) return new Problem(code);
  if (isClientDisconnect(error)) return new Problem('request.malformed', { cause: error });
  return new Problem('server.failed', {
    detail:
      'Something failed on our side. The log has it under the id in the header X-Request-Id of this answer.',
    cause: error,
  });
}

function isClientDisconnect(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'ECONNRESET' || error.name === 'AbortError';
}

const PROBLEM_BY_PARSER_CODE: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'request.headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request.timeout',
};

/** Answers what Node could not even read as a request; there is no route and no reply object yet. */
export function clientErrorHandler(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = new Problem(PROBLEM_BY_PARSER_CODE[error.code ?? ''] ?? 'request.malformed');
  const body = JSON.stringify(problem);
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
      `Content-Type: ${PROBLEM_CONTENT_TYPE}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
