import { Ajv, type AnySchema } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import { parseDateTime } from './date-time.ts';

const AJV_OPTIONS = {
  allErrors: false,
  removeAdditional: false,
  useDefaults: false,
  verbose: true,
  strict: true,
  strictTypes: false,
  formats: { 'date-time': (text: string) => parseDateTime(text) !== undefined },
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
