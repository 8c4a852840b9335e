import type { FastifyContextConfig, FastifySchema } from 'fastify';
import type { RouteAuth } from '../http/route-config.ts';

/** The declaration of a route. */
export type RouteInfo = {
  url: string;
  method: string | readonly string[];
  config?: FastifyContextConfig;
  schema?: FastifySchema;
};

/** Completes the schema of a route for the API description, from its config and media types. */
export function describeRoute({ url, method, config, schema = {} }: RouteInfo): FastifySchema {
  const { auth = 'public' } = config ?? {};
  const described: FastifySchema = {
    operationId: toOperationId(String(method), url),
    security: auth === 'public' ? [] : [{ apiToken: [] }],
    ...schema,
    description: [schema.description, describeAuth(auth)].filter(Boolean).join('\n\n'),
  };
  if (schema.consumes !== undefined)
    described.body = { content: toRequestContent(schema.consumes) };
  if (schema.response === undefined)
    described.response = { 200: toFileResponse(schema.produces ?? []) };
  if (config?.idempotencyKey)
    described.headers = addHeader(described.headers, 'Idempotency-Key', IDEMPOTENCY_KEY_HEADER);
  if (config?.ifMatch)
    described.headers = addHeader(described.headers, 'If-Match', IF_MATCH_HEADER);
  return described;
}

function describeAuth(auth: RouteAuth): string {
  if (auth === 'public') return 'Needs no API token.';
  const capabilities = [auth].flat().map((capability) => `\`${capability}\``);
  return `Needs a token with ${capabilities.join(' or ')}.`;
}

/** Derives the operation id from the URL: `PUT /v1/designs/:id/model` is `putDesignsByIdModel`. */
function toOperationId(method: string, url: string): string {
  const words = url
    .split(/[/-]/)
    .filter((part) => part !== '' && !/^v\d+$/.test(part))
    .map((part) => (part.startsWith(':') ? `By${capitalize(part.slice(1))}` : capitalize(part)));
  return method.toLowerCase() + words.join('');
}

const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

const BINARY_SCHEMA = { type: 'string', format: 'binary' };

const MULTIPART_SCHEMA = {
  type: 'object',
  required: ['file'],
  properties: {
    file: { ...BINARY_SCHEMA, description: 'The file.' },
    name: { type: 'string', minLength: 1, maxLength: 200, description: 'The name of the design.' },
    description: { type: 'string', maxLength: 2000 },
    tags: { type: 'string', description: 'JSON, such as `["chair","oak"]`.' },
    externalId: { type: 'string', minLength: 1, maxLength: 200 },
    metadata: { type: 'string', description: 'JSON, such as `{"collection":"autumn 2026"}`.' },
  },
};

function toRequestContent(types: readonly string[]): Record<string, { schema: object }> {
  return Object.fromEntries(
    types.map((type) => [
      type,
      { schema: type === 'multipart/form-data' ? MULTIPART_SCHEMA : BINARY_SCHEMA },
    ]),
  );
}

/** Describes the response of a route that sends a file instead of JSON. */
function toFileResponse(types: readonly string[]) {
  const content = types.map((type) => {
    return [type, { schema: type.startsWith('text/') ? { type: 'string' } : BINARY_SCHEMA }];
  });
  const isText = types.every((type) => type.startsWith('text/'));
  const description = isText ? 'The page.' : 'The whole file, or a part of it (206) for a `Range`.';
  return { description, content: Object.fromEntries(content) };
}

const IDEMPOTENCY_KEY_HEADER = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  description:
    'A unique value that you choose for this request, such as a UUID. A retry with the same key within 24 hours gets the first response, and nothing is created twice. With another body, path or file it is refused.',
};

const IF_MATCH_HEADER = {
  type: 'string',
  description:
    'The `ETag` of the version that you have read. If it has changed since then, the response is 412 and nothing is changed. Several are separated by commas; `*` matches any.',
  examples: ['"3"'],
};

function addHeader(headers: unknown, name: string, header: object): object {
  const { properties = {}, ...rest } = (headers ?? { type: 'object' }) as { properties?: object };
  return { ...rest, properties: { ...properties, [name]: header } };
}
