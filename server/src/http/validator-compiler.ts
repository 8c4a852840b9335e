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
 * Compiles route schemas to validators. Only values in a query are converted, because they arrive as
 * text; the rest of a request is not changed.
 */
export function createValidatorCompiler(): FastifySchemaCompiler<AnySchema> {
  const strict = new Ajv({ ...AJV_OPTIONS, coerceTypes: false });
  const coercing = new Ajv({ ...AJV_OPTIONS, coerceTypes: true });
  return ({ schema, httpPart }) => (httpPart === 'querystring' ? coercing : strict).compile(schema);
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** ISO 8601 with a time zone. Without one, the time would be ambiguous. */
function isDateTime(text: string): boolean {
  return DATE_TIME.test(text) && !Number.isNaN(Date.parse(text));
}
