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

/** Collects every route for the API description. Must be called before routes are added. */
export async function registerOpenApi(app: FastifyInstance, publicUrl: string): Promise<void> {
  await app.register(swagger, {
    openapi: createBaseDocument(publicUrl) as object,
    convertConstToEnum: false,
    transform: ({ url, schema, route }) => ({
      // Fastify also registers the root of a prefix with a trailing slash.
      url: url.replace(/(?<=.)\/$/, ''),
      schema: describeRoute({ ...route, schema }),
    }),
    transformObject: (result) => {
      if (!('openapiObject' in result)) throw new TypeError('not an OpenAPI document');
      return completeDocument(result.openapiObject as JsonObject, publicUrl);
    },
  });
}

/** Returns the OpenAPI 3.1 document of all routes. The app must be ready. */
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
  'To show a design on a page, take four steps: find its URI (`GET /v1/designs`), get the HTML',
  '(`POST /embed/iframe/v1`), create a token for the origin of the page (`POST /v1/tokens`), and',
  'replace the placeholder in the HTML with the token.\n\nJSON is strict: unknown fields are refused,',
  'and values are not converted. Times are ISO 8601 in UTC, sizes are in bytes, lengths in meters.',
].join(' ');

const TAGS = [
  { name: 'embed', description: 'The HTML for a page, and the files that it loads.' },
  { name: 'tokens', description: 'Create, change and revoke tokens, and check embeds.' },
  { name: 'designs', description: 'Upload files, and manage the designs created from them.' },
  { name: 'uploads', description: 'Resumable uploads with tus 1.0.' },
  {
    name: 'operator',
    description: 'Users, jobs, storage and state of the service, for operators.',
  },
  { name: 'health', description: 'Health checks for the operator.' },
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
    description: 'A token with only the capability `embed`. It is in the URL of the iframe.',
  },
  grant: {
    type: 'apiKey',
    in: 'header',
    name: GRANT_HEADER,
    description:
      'An asset grant, valid for 12 to 24 hours, or 15 to 30 minutes in a preview. The framed document contains it.',
  },
};

const SCHEMA_NAMES = new Map(
  Object.entries(SCHEMAS).map(([name, schema]) => [JSON.stringify(schema), name]),
);

/** Adds named schemas, examples, and the problem response of every operation. */
function completeDocument(document: JsonObject, publicUrl: string): object {
  const examples: JsonObject = createExamples(publicUrl);
  const components = document.components as JsonObject;
  components.schemas = Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, schema]) => [
      name,
      {
        ...(replaceWithRefs(structuredClone(schema), true) as JsonObject),
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
    description: 'A problem (RFC 9457).',
    content: { 'application/problem+json': { schema, example } },
  };
}

function completeResponse(status: string, response: JsonObject): void {
  if (response.description === 'Default Response') response.description = STATUS_CODES[status];
  if (status === '201') response.headers = { Location: LOCATION_HEADER };
}

const LOCATION_HEADER = { description: 'The URL of the new resource.', schema: { type: 'string' } };

/** Replaces each named schema by a reference to it. */
function replaceWithRefs(value: unknown, isRoot = false): unknown {
  if (value === null || typeof value !== 'object') return value;
  const name = isRoot ? undefined : SCHEMA_NAMES.get(JSON.stringify(value));
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  if (Array.isArray(value)) return value.map((item) => replaceWithRefs(item));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, replaceWithRefs(item)]),
  );
}

type MediaType = { schema?: { $ref?: string }; example?: unknown };

/** Adds the example of a named schema to each body and response with that schema. */
function addExamples(operation: JsonObject, examples: JsonObject): void {
  const messages = [
    operation.requestBody,
    ...Object.values(operation.responses as JsonObject),
  ] as JsonObject[];
  for (const message of messages) {
    for (const media of Object.values((message?.content ?? {}) as Record<string, MediaType>)) {
      const name = media.schema?.$ref?.split('/').at(-1);
      if (name !== undefined) media.example = examples[name];
      // The only text response with an example is the snippet.
      else if (operation.operationId === 'postEmbedIframe' && media.schema !== undefined) {
        media.example = (examples.EmbedSnippet as { html: string }).html;
      }
    }
  }
}
