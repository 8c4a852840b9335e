import type { FastifyContextConfig, FastifySchema } from 'fastify';

/** What a route says of itself. */
export type Route = {
  url: string;
  method: string | readonly string[];
  config?: FastifyContextConfig;
  schema?: FastifySchema;
};

/** The schema of a route with what its config and its media types add to the description. */
export function describeRoute({ url, method, config, schema = {} }: Route): FastifySchema {
  const { needs = 'nothing' } = config ?? {};
  const described: FastifySchema = {
    operationId: operationId(String(method), url),
    security: needs === 'nothing' ? [] : [{ apiToken: [] }],
    ...schema,
    description: [schema.description, sayNeeds(needs)].filter(Boolean).join('\n\n'),
  };
  if (schema.consumes !== undefined) described.body = { content: bodies(schema.consumes) };
  if (schema.response === undefined) described.response = { 200: files(schema.produces ?? []) };
  if (config?.retryKey) described.headers = RETRY_KEY;
  return described;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads an `Idempotency-Key`: said in the description of the API, done in the route. */
    retryKey?: boolean;
  }
}

function sayNeeds(needs: NonNullable<FastifyContextConfig['needs']>): string {
  if (needs === 'nothing') return 'Needs no API token.';
  const capabilities = [needs].flat().map((one) => `\`${one}\``);
  return `Needs a token with ${capabilities.join(' or ')}.`;
}

/** `POST /v1/tokens/:id/rotate` is `postTokensByIdRotate`: stable for as long as the address is. */
function operationId(method: string, url: string): string {
  const words = url
    .split(/[/-]/)
    .filter((part) => part !== '' && !/^v\d+$/.test(part))
    .map((part) => (part.startsWith(':') ? `By${capital(part.slice(1))}` : capital(part)));
  return method.toLowerCase() + words.join('');
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

const BYTES = { type: 'string', format: 'binary' };

const FORM = {
  type: 'object',
  required: ['file'],
  properties: {
    file: { ...BYTES, description: 'The file.' },
    name: { type: 'string', minLength: 1, maxLength: 200, description: 'Its name, for people.' },
  },
};

function bodies(types: readonly string[]): Record<string, { schema: object }> {
  return Object.fromEntries(
    types.map((type) => [type, { schema: type === 'multipart/form-data' ? FORM : BYTES }]),
  );
}

/** The answer of a route that sends bytes and not JSON. */
function files(types: readonly string[]) {
  const content = types.map((type) => {
    return [type, { schema: type.startsWith('text/') ? { type: 'string' } : BYTES }];
  });
  const isText = types.every((type) => type.startsWith('text/'));
  const description = isText ? 'The page.' : 'The whole; 206 for a `Range`.';
  return { description, content: Object.fromEntries(content) };
}

const RETRY_KEY = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      description:
        'Anything you make up for this request, such as a UUID. Sent again within 24 hours it gets the first answer, and nothing is made twice.',
    },
  },
};
