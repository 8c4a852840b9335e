import { decodeCursor, encodeCursor } from '../src/http/cursor-text.ts';
import type { ApiRequest, OpenApiDocument, OperationEntry, Schema } from './api-requests.ts';

/** Beyond the columns of type `integer` and `bigint`, beyond what a number of JavaScript can count, and beyond any number. */
const LARGE_NUMBERS = [
  '2147483648',
  '-2147483649',
  '9007199254740993',
  '9223372036854775808',
  '-9223372036854775809',
  '1e400',
];
const MAX_DEPTH = 5;
/** Is replaced in JSON, so that a number that JavaScript does not have can be sent. */
const PLACEHOLDER = '@number@';

/** A request to an operation: its path with values, and the headers and the file that it needs. */
export type UsualRequest = { path: string; headers: Record<string, string>; file: Buffer };

/**
 * Returns requests to an operation that are valid, except that one segment of the path, one parameter of the query, one header or
 * one field of the body is a large number.
 */
export function createLargeNumberRequests(
  document: OpenApiDocument,
  entry: OperationEntry,
  { path, headers, file }: UsualRequest,
): ApiRequest[] {
  const { parameters = [], requestBody } = entry.operation;
  const content = requestBody?.content?.['application/json'] as MediaType | undefined;
  const { schema = {}, example } = content ?? {};
  const json = example === undefined ? undefined : JSON.stringify(example);
  const payload = requestBody === undefined ? undefined : (json ?? file);
  const [type = ''] =
    json === undefined ? Object.keys(requestBody?.content ?? {}) : ['application/json'];
  const usual = {
    method: entry.method.toUpperCase(),
    url: path,
    headers: { ...headers, ...(type !== '' && { 'content-type': type }) },
    payload,
  };
  const withParameters = parameters.flatMap(({ name, in: kind }) =>
    LARGE_NUMBERS.map((number) => {
      if (kind === 'query') return { ...usual, url: `${path}?${name}=${number}` };
      if (kind === 'header')
        return { ...usual, headers: { ...usual.headers, [name.toLowerCase()]: number } };
      return { ...usual, url: replaceSegment(entry.path, path, name, number) };
    }),
  );
  const bodies = listFields(document, schema).flatMap((field) => toBodies(example ?? {}, field));
  return [...withParameters, ...bodies.map((body) => ({ ...usual, payload: body }))];
}

/** Returns cursors of the same query with a large number at each position. */
export function createLargeCursors(cursor: string): string[] {
  const values = decodeCursor(cursor) ?? [];
  return values.flatMap((_, position) =>
    LARGE_NUMBERS.map((number) => encodeCursor(values.with(position, number))),
  );
}

type MediaType = { schema?: Schema; example?: unknown };

function replaceSegment(template: string, path: string, name: string, value: string): string {
  const position = template.split('/').indexOf(`{${name}}`);
  const segments = path.split('/');
  return position < 0 ? path : segments.with(position, value).join('/');
}

/** Lists the paths of all fields of a schema. */
function listFields(document: OpenApiDocument, schema: Schema, depth = 0): string[][] {
  const { $ref, anyOf, oneOf, properties = {}, items } = schema;
  if (depth > MAX_DEPTH) return [];
  if (typeof $ref === 'string') {
    const target = document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {};
    return listFields(document, target, depth);
  }
  const choices = (anyOf ?? oneOf ?? []) as Schema[];
  const inItems = items === undefined ? [] : [['0']];
  return [
    ...choices.flatMap((choice) => listFields(document, choice, depth + 1)),
    ...inItems,
    ...inItems.flatMap(([index = '']) =>
      listFields(document, items as Schema, depth + 1).map((path) => [index, ...path]),
    ),
    ...Object.entries(properties as Record<string, Schema>).flatMap(([name, value]) => [
      [name],
      ...listFields(document, value, depth + 1).map((path) => [name, ...path]),
    ]),
  ];
}

/** Returns the JSON of an example with a large number as the value of a field. */
function toBodies(example: unknown, path: readonly string[]): string[] {
  const body = structuredClone(example) as Record<string, unknown>;
  let parent = body;
  for (const [index, name] of path.slice(0, -1).entries()) {
    const child = parent[name];
    const isContainer = typeof child === 'object' && child !== null;
    const created = path[index + 1] === '0' ? [] : {};
    parent[name] = isContainer ? child : created;
    parent = parent[name] as Record<string, unknown>;
  }
  parent[path.at(-1) ?? ''] = PLACEHOLDER;
  const json = JSON.stringify(body);
  return LARGE_NUMBERS.map((number) => json.replace(`"${PLACEHOLDER}"`, number));
}
