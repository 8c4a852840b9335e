import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import { describe, it, type TestContext } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { openTestServer } from '../../testing/harness.ts';
import { createExamples } from './examples.ts';
import { SCHEMAS } from './schemas.ts';

type MediaType = { schema?: { $ref?: string; format?: string }; example?: unknown };
type Message = { description?: string; content?: Record<string, MediaType>; $ref?: string };
type Operation = {
  operationId: string;
  summary?: string;
  tags?: string[];
  description?: string;
  security?: object[];
  parameters?: { name: string; in: string; description?: string }[];
  requestBody?: Message;
  responses: Record<string, Message>;
};
type Document = { paths: Record<string, Record<string, Operation>>; [name: string]: unknown };

const host = { host: 'cloche.test' };

async function readOpenApi(t: TestContext) {
  const { app, origin } = await openTestServer(t);
  const response = await app.inject({ url: '/openapi.json', headers: host });
  assert.equal(response.statusCode, 200);
  const document = response.json<Document>();
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
  return { app, origin, document, operations, etag: String(response.headers.etag) };
}

describe('GET /openapi.json', () => {
  it('is valid OpenAPI 3.1', async (t) => {
    const { document } = await readOpenApi(t);
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document));
    assert.ok(valid, JSON.stringify(errors, null, 2));
    assert.equal(validator.version, '3.1');
  });

  it('has version, license and server URL', async (t) => {
    const { document, origin } = await readOpenApi(t);
    const info = document.info as { version: string; license: object };
    assert.match(info.version, /^\d+\.\d+\.\d+$/);
    assert.deepEqual(info.license, { name: 'MIT', identifier: 'MIT' });
    assert.deepEqual(document.servers, [{ url: origin, description: 'This service' }]);
  });

  it('has every route that is not hidden, and no other', async (t) => {
    const routes = recordRoutes();
    const { operations } = await readOpenApi(t);
    const shown = routes.filter(({ schema }) => !schema?.hide).map(({ name }) => name);
    assert.deepEqual(operations.map(({ name }) => name).sort(), [...new Set(shown)].sort());
  });

  it('has summary, tag, security and parameter descriptions of every operation', async (t) => {
    const { operations, document } = await readOpenApi(t);
    const tags = (document.tags as { name: string }[]).map(({ name }) => name);
    const ids = operations.map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length, 'two operations have one id');
    for (const { name, operation } of operations) {
      assert.ok(operation.summary, `${name} has no summary`);
      assert.equal(operation.tags?.length, 1, `${name} does not have exactly one tag`);
      assert.ok(tags.includes(operation.tags?.[0] ?? ''), `${name}: its tag has no description`);
      assert.ok(Array.isArray(operation.security), `${name} has no security`);
      assert.match(operation.description ?? '', /Needs (no API token|a token with `\w+`)/, name);
      assert.equal(operation.responses.default?.$ref, '#/components/responses/Problem', name);
      for (const parameter of operation.parameters ?? []) {
        assert.ok(parameter.description, `${name}: ${parameter.name} has no description`);
      }
    }
  });

  it('has an example of every JSON body', async (t) => {
    const { operations } = await readOpenApi(t);
    for (const { name, operation } of operations) {
      for (const [type, media] of Object.entries(operation.requestBody?.content ?? {})) {
        const isBytes = media.schema?.format === 'binary' || type === 'multipart/form-data';
        assert.ok(isBytes || media.example !== undefined, `${name}: ${type} has no example`);
      }
    }
  });

  it('describes uploads, forms and idempotency keys', async (t) => {
    const { document } = await readOpenApi(t);
    const upload = document.paths['/v1/designs']?.post;
    const types = Object.keys(upload?.requestBody?.content ?? {});
    for (const type of ['model/gltf-binary', 'application/octet-stream', 'multipart/form-data']) {
      assert.ok(types.includes(type), type);
    }
    for (const path of ['/v1/designs', '/v1/tokens']) {
      const parameters = document.paths[path]?.post?.parameters ?? [];
      assert.ok(
        parameters.some(
          ({ in: location, name }) => location === 'header' && name === 'Idempotency-Key',
        ),
      );
    }
  });

  it('lists If-Match for each change of a design or a token', async (t) => {
    const { operations } = await readOpenApi(t);
    const conditional = operations.filter(({ operation }) =>
      operation.parameters?.some(({ in: type, name }) => type === 'header' && name === 'If-Match'),
    );
    assert.deepEqual(conditional.map(({ name }) => name).sort(), [
      'DELETE /v1/designs/{id}',
      'DELETE /v1/tokens/{id}',
      'PATCH /v1/designs/{id}',
      'PATCH /v1/tokens/{id}',
      'POST /v1/tokens/{id}/rotate',
      'PUT /v1/designs/{id}/model',
    ]);
  });

  it('304: the client has the current document in its cache', async (t) => {
    const { app, etag } = await readOpenApi(t);
    const headers = { ...host, 'if-none-match': etag };
    const cached = await app.inject({ url: '/openapi.json', headers });
    assert.equal(cached.statusCode, 304);
    assert.equal(cached.body, '');
  });

  it('is compressed if the client accepts it', async (t) => {
    const { app } = await readOpenApi(t);
    const headers = { ...host, 'accept-encoding': 'gzip, br' };
    const response = await app.inject({ url: '/openapi.json', headers });
    assert.equal(response.headers['content-encoding'], 'br');
    const identityOnly = { ...host, 'accept-encoding': 'br;q=0, identity' };
    const plain = await app.inject({ url: '/openapi.json', headers: identityOnly });
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.ok(response.rawPayload.length * 5 < plain.rawPayload.length);
  });
});

describe('examples', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const [name, example] of Object.entries(createExamples('https://cloche.example.com'))) {
    it(`${name} matches its schema`, () => {
      const validate = ajv.compile(SCHEMAS[name as keyof typeof SCHEMAS]);
      assert.ok(validate(example), JSON.stringify(validate.errors));
    });
  }
});

/** Records the routes of all apps that are built later, such as `POST /v1/tokens`. */
function recordRoutes() {
  const routes: { name: string; schema: FastifySchema | undefined }[] = [];
  subscribe('fastify.initialization', (message) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ method, url, schema }) => {
      const path = url.replace(/:(\w+)/g, '{$1}').replace(/(?<=.)\/$/, '');
      for (const routeMethod of [method].flat()) {
        if (routeMethod !== 'HEAD') routes.push({ name: `${routeMethod} ${path}`, schema });
      }
    });
  });
  return routes;
}
