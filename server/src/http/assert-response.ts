import assert from 'node:assert/strict';
import { Ajv, type AnySchema } from 'ajv';
import { parseDateTime } from './date-time.ts';

const ajv = new Ajv({
  strict: true,
  strictTypes: false,
  formats: { 'date-time': (text: string) => parseDateTime(text) !== undefined },
});

/**
 * Asserts that a body matches the schema of its response.
 *
 * Every request that creates or changes something builds its response and calls this before it commits
 * the rows that the response describes. A row that no later response could contain is thus never stored.
 */
export function assertResponse(schema: AnySchema, body: unknown): void {
  const validate = ajv.compile(schema);
  // The message has no values: a body may contain a token string.
  assert(validate(body), `The response does not match its schema: ${formatErrors(validate)}`);
}

function formatErrors({ errors }: { errors?: Ajv['errors'] }): string {
  return (errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).join(', ');
}
