import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { join } from 'node:path';
import { GRANT_HEADER } from '@cloche/contract/viewer-config';
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { describeRoute } from './describe-route.ts';
import { createExamples } from './examples.ts';
import { SCHEMAS } from './schemas.ts';

type JsonObject = { [name: string]: unknown };

const { version, license } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
) as { version: string; license: string };

/** Collects every route for the description of the API. Call before routes are added. */
export async function registerOpenApi(app: FastifyInstance, publicUrl: string): Promise<void> {
  await app.register(swagger, {
    openapi: createBaseDocument(publicUrl) as object,
    convertConstToEnum: false,
    transform: ({ url, schema, route }) => ({
      // A room's first route is also known with a slash at its end.
      url: url.replace(/(?<=.)\/$/, ''),
      schema: describeRoute({ ...route, schema }),
    }),
    transformObject: (made) => {
      if (!('openapiObject' in made)) throw new TypeError('not an OpenAPI document');
      return completeDocument(made.openapiObject as JsonObject, publicUrl);
    },
  });
}

/** The OpenAPI 3.1 document of all routes; the app must be ready. */
export function getOpenApiDocument(app: FastifyInstance): object {
  return app.swagger();
}

function createBaseDocument(publicUrl: string): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cloche',
      version,
      summary: 'Shows your 3D designs on other people’s web pages, and nowhere else.',
      description: DESCRIPTION,
      license: { name: license, identifier: license },
    },
    servers: [{ url: publicUrl, description: 'This service' }],
    tags: TAGS,
    components: { securitySchemes: SECURITY_SCHEMES },
    externalDocs: { url: `${publicUrl}/docs`, description: 'Guides' },
  };
}

const DESCRIPTION = [
  'Four steps show a design on a page: choose its URI (`GET /v1/designs`), ask for the HTML',
  '(`POST /embed/iframe/v1`), make a token for the page’s origin (`POST /v1/tokens`), and put the',
  'token where the placeholder stands.\n\nJSON is strict: unknown fields are refused, nothing is',
  'coerced. Times are ISO 8601 in UTC, sizes are bytes, lengths metres.',
].join(' ');

const TAGS = [
  { name: 'embed', description: 'The HTML for a page, and what it loads.' },
  { name: 'tokens', description: 'Who may do what, and where.' },
  { name: 'designs', description: 'Files in, designs out.' },
  { name: 'uploads', description: 'Files in pieces, by tus 1.0, over lines that break.' },
  { name: 'health', description: 'For the operator.' },
];

const SECURITY_SCHEMES = {
  apiToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API token: `Authorization: Bearer <API_TOKEN>`.',
  },
  embedToken: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'A token that can only embed. Browsers send it with the iframe’s address.',
  },
  grant: {
    type: 'apiKey',
    in: 'header',
    name: GRANT_HEADER,
    description: 'Good for minutes. The framed document carries it.',
  },
};

const SCHEMA_NAMES = new Map(
  Object.entries(SCHEMAS).map(([name, shape]) => [JSON.stringify(shape), name]),
);

/** Gives shapes their names and examples, and every operation the answer for what goes wrong. */
function completeDocument(document: JsonObject, publicUrl: string): object {
  const examples: JsonObject = createExamples(publicUrl);
  const components = document.components as JsonObject;
  components.schemas = Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, shape]) => [
      name,
      {
        ...(replaceWithRefs(structuredClone(shape), true) as JsonObject),
        examples: [examples[name]],
      },
    ]),
  );
  components.responses = { Problem: createProblemResponse(examples.Problem) };
  const paths = replaceWithRefs(document.paths) as Record<string, Record<string, JsonObject>>;
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    const responses = operation.responses as Record<string, JsonObject>;
    addExamples(operation, examples);
    for (const [status, response] of Object.entries(responses)) completeResponse(status, response);
    responses.default = { $ref: '#/components/responses/Problem' };
  }
  return { ...document, paths };
}

function createProblemResponse(example: unknown): JsonObject {
  const schema = { $ref: '#/components/schemas/Problem' };
  return {
    description: 'What went wrong (RFC 9457).',
    content: { 'application/problem+json': { schema, example } },
  };
}

function completeResponse(status: string, response: JsonObject): void {
  if (response.description === 'Default Response') response.description = STATUS_CODES[status];
  if (status === '201') response.headers = { Location: LOCATION_HEADER };
}

const LOCATION_HEADER = { description: 'Where the new thing is.', schema: { type: 'string' } };

/** Replaces every schema that has a name by a reference to it. */
function replaceWithRefs(value: unknown, isRoot = false): unknown {
  if (value === null || typeof value !== 'object') return value;
  const name = isRoot ? undefined : SCHEMA_NAMES.get(JSON.stringify(value));
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  if (Array.isArray(value)) return value.map((one) => replaceWithRefs(one));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaceWithRefs(one)]));
}

type MediaType = { schema?: { $ref?: string }; example?: unknown };

/** Puts the example of a named shape beside each body and answer of that shape. */
function addExamples(operation: JsonObject, examples: JsonObject): void {
  const messages = [
    operation.requestBody,
    ...Object.values(operation.responses as JsonObject),
  ] as JsonObject[];
  for (const message of messages) {
    for (const media of Object.values((message?.content ?? {}) as Record<string, MediaType>)) {
      const name = media.schema?.$ref?.split('/').at(-1);
      if (name !== undefined) media.example = examples[name];
      // The one text answer among them is the snippet.
      else if (operation.operationId === 'postEmbedIframe' && media.schema !== undefined) {
        media.example = (examples.EmbedSnippet as { html: string }).html;
      }
    }
  }
}
