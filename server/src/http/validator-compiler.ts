import { Ajv, type AnySchema } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';

const AJV_OPTIONS = {
  allErrors: false,
  removeAdditional: false,
  useDefaults: false,
  verbose: true,
  strict: true,
  strictTypes: false,
  formats: { 'date-time': isDateTime },
} as const;

/**
 * Compiles route schemas to validators. Nothing is coerced, filled in or dropped; only the text of
 * a query is read as the numbers it must hold.
 */
export function createValidatorCompiler(): FastifySchemaCompiler<AnySchema> {
  const exact = new Ajv({ ...AJV_OPTIONS, coerceTypes: false, keywords: ['example'] });
  const text = new Ajv({ ...AJV_OPTIONS, coerceTypes: true, keywords: ['example'] });
  return ({ schema, httpPart }) => (httpPart === 'querystring' ? text : exact).compile(schema);
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** ISO 8601 with a time zone: without one, nobody knows which moment is meant. */
function isDateTime(text: string): boolean {
  return DATE_TIME.test(text) && !Number.isNaN(Date.parse(text));
}
