import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem, type ProblemCode } from '@cloche/contract/problem';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isTooManyOpenFiles } from '../disk/too-many-open-files.ts';
import { MAX_JSON_BYTES } from './json-body.ts';
import { API_HEADERS } from './page-headers.ts';
import { redactTokenStrings } from './redact-tokens.ts';

const PROBLEM_CONTENT_TYPE = 'application/problem+json; charset=utf-8';

/** Converts an error to a response, and logs internal errors. No other code does this. */
export function errorHandler(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const problem = toProblem(error, getConsumedTypes(request));
  request.problemCode = problem.code;
  logProblem(problem, error, request);
  if (problem.status >= 500) reply.header('x-request-id', request.id);
  if (problem.retryAfterSeconds !== undefined)
    reply.header('retry-after', problem.retryAfterSeconds);
  if (problem.etag !== undefined) reply.header('etag', problem.etag);
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer realm="Cloche"');
  reply.code(problem.status).serializer((body: unknown) => body as string);

  const renderErrorPage = request.routeOptions?.config?.renderErrorPage;
  if (renderErrorPage !== undefined && !prefersJson(request)) {
    const { headers, html } = renderErrorPage(problem, request);
    return reply.headers(headers).send(html);
  }
  return reply
    .headers({ ...API_HEADERS, 'content-type': PROBLEM_CONTENT_TYPE })
    .send(redactTokenStrings(JSON.stringify(problem)));
}

function logProblem(problem: Problem, error: Error, { log }: FastifyRequest): void {
  // A problem with Retry-After is temporary, such as a full queue, and not an internal error.
  const isInternal = problem.status >= 500 && problem.retryAfterSeconds === undefined;
  if (isInternal) log.error({ err: error }, problem.code);
  else if (problem.cause !== undefined) log.info({ err: problem.cause }, problem.code);
}

function prefersJson({ headers: { accept = '' } }: FastifyRequest): boolean {
  return /\bapplication\/(problem\+)?json\b/.test(accept) && !accept.includes('text/html');
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

/** The media types that the route reads. A URL that cannot be routed has no route options. */
function getConsumedTypes({ routeOptions }: FastifyRequest): readonly string[] {
  const { consumes } = (routeOptions?.schema ?? {}) as { consumes?: readonly string[] };
  return consumes ?? ['application/json'];
}

function toProblem(error: FastifyError | Error, consumedTypes: readonly string[]): Problem {
  if (isTooManyOpenFiles(error)) return createTooManyOpenFilesError(error);
  if (error instanceof Problem) return error;
  const code = 'code' in error ? PROBLEM_BY_FASTIFY_CODE[String(error.code)] : undefined;
  if (code === 'request.media-type') {
    const detail = `Send a Content-Type header with a type that this route reads: ${consumedTypes.join(', ')}.`;
    return new Problem(code, { field: 'header.content-type', detail });
  }
  if (code === 'request.too-large') {
    const detail = `A JSON body must not have more than ${MAX_JSON_BYTES} bytes.`;
    return new Problem(code, { detail });
  }
  // Without a cause: Fastify's message may quote the URL, which may contain a token.
  if (code !== undefined) return new Problem(code);
  if (isClientDisconnect(error)) return new Problem('request.malformed', { cause: error });
  return new Problem('server.failed', { detail: INTERNAL_ERROR_DETAIL, cause: error });
}

const INTERNAL_ERROR_DETAIL =
  'An internal error occurred. The log has the details under the id in the X-Request-Id header of this response.';

function createTooManyOpenFilesError(cause: Error): Problem {
  return new Problem('server.unavailable', {
    detail: 'The service has too many open files and connections at the moment. Try again.',
    retryAfterSeconds: OPEN_FILES_RETRY_SECONDS,
    cause,
  });
}

const OPEN_FILES_RETRY_SECONDS = 5;

function isClientDisconnect(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'ECONNRESET' || error.name === 'AbortError';
}

const PROBLEM_BY_PARSER_CODE: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'request.headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request.timeout',
};

/** How long a client may take to read the response and close the connection. */
const LINGER_MS = 2000;

/** Responds to requests that Node's parser rejects. Fastify creates no request and no reply for them. */
export function clientErrorHandler(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = new Problem(PROBLEM_BY_PARSER_CODE[error.code ?? ''] ?? 'request.malformed');
  const body = JSON.stringify(problem);
  // A client that ignores the end of the connection is disconnected.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
      `Content-Type: ${PROBLEM_CONTENT_TYPE}`,
      // The request could not be parsed, so its origin is unknown, and the response has no data.
      'Access-Control-Allow-Origin: *',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
