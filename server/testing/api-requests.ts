import fc, { type Arbitrary } from 'fast-check';

/** A JSON schema of the OpenAPI document. */
export type Schema = { [keyword: string]: unknown };

type Parameter = { name: string; in: string; required?: boolean; schema?: Schema };
type Response = { $ref?: string; content?: Record<string, { schema?: Schema }> };

export type Operation = {
  parameters?: Parameter[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
  responses: Record<string, Response>;
};

export type OpenApiDocument = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> };
};

/** An operation of the document, and where it is. */
export type OperationEntry = { name: string; path: string; method: string; operation: Operation };

/** A request to an operation. */
export type ApiRequest = {
  method: string;
  url: string;
  headers: Record<string, string>;
  payload: string | Buffer | undefined;
};

/** Values of the service that a request may contain. */
export type KnownValues = {
  ids: readonly string[];
  /** Token strings, where they do not belong. */
  tokens: readonly string[];
  authorizations: readonly string[];
  /** A file that is accepted. */
  file: Buffer;
};

/** Lists the operations of the document, such as `GET /v1/designs`. */
export function listOperations(document: OpenApiDocument): OperationEntry[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      return { name: `${method.toUpperCase()} ${path}`, path, method, operation };
    }),
  );
}

/** Generates requests to one operation from its description. Most parts of a request match the description. */
export function createRequestArbitrary(
  document: OpenApiDocument,
  { path, method, operation }: OperationEntry,
  known: KnownValues,
): Arbitrary<ApiRequest> {
  const generator = new ValueGenerator(document, known.ids);
  const { parameters = [], requestBody } = operation;
  const id = fc.constantFrom(...known.ids);
  const misplaced = fc.constantFrom(...known.tokens);
  const listValues = (kind: string, others: Arbitrary<unknown>) =>
    parameters
      .filter((parameter) => parameter.in === kind)
      .map(({ name, schema = {} }): [string, Arbitrary<unknown>] => [
        name,
        prefer(generator.fromSchema(schema), others),
      ]);
  const createPartialRecord = (kind: string, others: Arbitrary<unknown>) =>
    fc.record(Object.fromEntries(listValues(kind, others)), { requiredKeys: [] });
  const header = fc.oneof(id, misplaced, fc.stringMatching(/^[ -~]*$/));
  const types = Object.keys(requestBody?.content ?? {});
  return fc
    .record({
      pathValues: fc.record(
        Object.fromEntries(
          listValues('path', misplaced).map(([name, values]) => [name, prefer(id, values)]),
        ),
      ),
      query: createPartialRecord(
        'query',
        fc.oneof(id, fc.string(), fc.string({ unit: CHARACTERS })),
      ),
      headers: createPartialRecord('header', header),
      authorization: fc.constantFrom(...known.authorizations),
      contentType: prefer(
        fc.constantFrom(types[0] ?? 'application/json', ...types),
        fc.constantFrom('application/json', 'text/plain'),
      ),
      payload: createBodyArbitrary(generator, requestBody, known),
    })
    .map(({ pathValues, query, headers, authorization, contentType, payload }) => ({
      method: method.toUpperCase(),
      url: fillPath(path, pathValues) + toQuery(query),
      headers: {
        ...toHeaders(headers),
        ...(authorization !== '' && { authorization }),
        ...(payload !== undefined && { 'content-type': contentType }),
      },
      payload,
    }));
}

function createBodyArbitrary(
  generator: ValueGenerator,
  requestBody: Operation['requestBody'],
  { file }: KnownValues,
): Arbitrary<ApiRequest['payload']> {
  if (requestBody === undefined) return fc.oneof(fc.constant(undefined), fc.string());
  const schema = requestBody.content?.['application/json']?.schema;
  const valid: Arbitrary<ApiRequest['payload']> =
    schema === undefined
      ? fc.constant(file)
      : generator.fromSchema(schema).map((value) => JSON.stringify(value));
  const other = fc.oneof(fc.json(), fc.string(), fc.constant(undefined));
  return prefer(valid, other);
}

/** Most values are the usual ones. */
const prefer = <T, U>(usual: Arbitrary<T>, others: Arbitrary<U>): Arbitrary<T | U> =>
  fc.oneof({ weight: 8, arbitrary: usual }, { weight: 1, arbitrary: others });

function fillPath(path: string, values: Record<string, unknown>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const text = encode(values[name]);
    // These would be the path of another operation.
    return ['', '.', '..'].includes(text) ? 'x' : text;
  });
}

function toQuery(query: Record<string, unknown>): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encode(value)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

const toText = (value: unknown) =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
const encode = (value: unknown) => encodeURIComponent(toText(value).toWellFormed());

/** Only what a client can send in a header. */
function toHeaders(headers: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      toText(value)
        .replaceAll(/[^ -~]/g, '')
        .trim(),
    ]),
  );
}

/** All characters of Unicode. The unit `binary` is the same, and takes a second to be created. */
const CHARACTERS = fc.oneof(
  fc.integer({ max: 0xd7ff, min: 0 }).map((code) => String.fromCodePoint(code)),
  fc.integer({ max: 0x10ffff, min: 0xe000 }).map((code) => String.fromCodePoint(code)),
);
const OTHER_VALUES = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.double(),
  fc.string(),
  fc.constant([]),
  fc.constant({}),
);
const TEXTS = ['https://shop.example', 'https://*.shop.example', '2030-01-01T00:00:00Z', '~', '*'];
const MAX_DEPTH = 4;

/** Generates values that match the types of a schema, and sometimes others. */
class ValueGenerator {
  readonly #schemas: Record<string, Schema>;
  readonly #texts: readonly string[];

  constructor({ components }: OpenApiDocument, ids: readonly string[]) {
    this.#schemas = components.schemas;
    this.#texts = [...TEXTS, ...ids];
  }

  fromSchema(schema: Schema, depth = 0): Arbitrary<unknown> {
    return fc.oneof(
      { weight: 19, arbitrary: this.#fromType(schema, depth) },
      { weight: 1, arbitrary: OTHER_VALUES },
    );
  }

  #fromType(schema: Schema, depth: number): Arbitrary<unknown> {
    const { $ref, anyOf, oneOf, type, items = {} } = schema;
    if (typeof $ref === 'string')
      return this.fromSchema(this.#schemas[$ref.split('/').at(-1) ?? ''] ?? {}, depth);
    if ('const' in schema) return fc.constant(schema.const);
    if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
    const choices = (anyOf ?? oneOf) as Schema[] | undefined;
    if (choices !== undefined)
      return fc.oneof(...choices.map((choice) => this.fromSchema(choice, depth)));
    if (depth > MAX_DEPTH) return fc.constant(null);
    switch (Array.isArray(type) ? type[0] : type) {
      case 'object':
        return this.#fromObject(schema, depth);
      case 'array':
        return fc.array(this.fromSchema(items as Schema, depth + 1), { maxLength: 4 });
      case 'boolean':
        return fc.boolean();
      case 'integer':
      case 'number':
        return fc.oneof(fc.integer({ min: -1, max: 200 }), fc.double());
      case 'null':
        return fc.constant(null);
      default:
        return this.#fromText(schema);
    }
  }

  #fromObject({ properties = {}, required = [] }: Schema, depth: number): Arbitrary<unknown> {
    const values = Object.entries(properties as Record<string, Schema>).map(([name, value]) => [
      name,
      this.fromSchema(value, depth + 1),
    ]);
    return fc.record(Object.fromEntries(values), { requiredKeys: required as never[] });
  }

  #fromText({ examples = [] }: Schema): Arbitrary<unknown> {
    return fc.oneof(
      fc.constantFrom(...this.#texts, ...(examples as unknown[])),
      fc.string({ maxLength: 30 }),
      fc.string({ unit: CHARACTERS }),
    );
  }
}
