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
 * Compiles route schemas to validators. They change nothing in a request, except that numbers in a
 * query, which arrive as text, are converted.
 */
export function createValidatorCompiler(): FastifySchemaCompiler<AnySchema> {
  const strict = new Ajv({ ...AJV_OPTIONS, coerceTypes: false, keywords: ['example'] });
  const coercing = new Ajv({ ...AJV_OPTIONS, coerceTypes: true, keywords: ['example'] });
  return ({ schema, httpPart }) => (httpPart === 'querystring' ? coercing : strict).compile(schema);
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** ISO 8601 with a time zone. Without one, the time would be ambiguous. */
function isDateTime(text: string): boolean {
  return DATE_TIME.test(text) && !Number.isNaN(Date.parse(text));
}
