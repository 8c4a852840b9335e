import { Ajv, type AnySchema, type ErrorObject } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import { isDate, parseDateTime } from './date-time.ts';
import { parseDisplayName } from './display-name.ts';
import { type FormatParser, toFieldErrors } from './field-errors.ts';
import { OPTION_FORMATS } from './option-errors.ts';
import { createProblemOfFields } from './problem-collector.ts';
import { convertQuery } from './query-values.ts';

const AJV_OPTIONS = {
  removeAdditional: false,
  useDefaults: false,
  coerceTypes: false,
  verbose: true,
  strict: true,
  strictTypes: false,
} as const;

/** A larger value may have very many errors, which take much memory. Only its first one is reported. */
const MAX_VALUES_WITH_ALL_ERRORS = 2000;

/**
 * Compiles route schemas to validators. A validator returns one problem with the errors of all fields.
 * Only numbers and booleans in a query are converted, because they arrive as text; the rest of a
 * request is not changed.
 *
 * @param formats the formats of schemas, by name, in addition to `date`, `date-time`, `display-name` and those of options
 */
export function createValidatorCompiler(
  formats: Readonly<Record<string, FormatParser>> = {},
): FastifySchemaCompiler<AnySchema> {
  const parsers = { 'display-name': parseDisplayName, ...OPTION_FORMATS, ...formats };
  const ajvFormats = {
    date: isDate,
    'date-time': (text: string) => parseDateTime(text) !== undefined,
    ...Object.fromEntries(
      Object.entries(parsers).map(([name, parse]) => [
        name,
        (text: string) => isValid(parse, text),
      ]),
    ),
  };
  const firstError = new Ajv({ ...AJV_OPTIONS, formats: ajvFormats });
  const allErrors = new Ajv({ ...AJV_OPTIONS, formats: ajvFormats, allErrors: true });
  for (const ajv of [firstError, allErrors]) ajv.addVocabulary(['x-aliases']);
  return ({ schema, httpPart = 'body' }) => {
    const validate = firstError.compile(schema);
    return (data: unknown) => {
      if (httpPart === 'querystring') convertQuery(schema, data);
      if (validate(data)) return true;
      const errors = hasAtMostValues(data, MAX_VALUES_WITH_ALL_ERRORS)
        ? collectErrors(allErrors, schema, data)
        : validate.errors;
      const fieldErrors = toFieldErrors(errors ?? [], httpPart, parsers);
      return { error: createProblemOfFields(fieldErrors) };
    };
  };
}

/** Ajv compiles each schema once, at its first error. */
function collectErrors(ajv: Ajv, schema: AnySchema, data: unknown): ErrorObject[] {
  const validate = ajv.compile(schema);
  validate(data);
  return validate.errors ?? [];
}

function isValid(parse: FormatParser, text: string): boolean {
  try {
    parse(text, '');
    return true;
  } catch {
    // Called again when the error is explained.
    return false;
  }
}

/** Says whether a value contains at most `max` values, and is not deeper than JSON bodies may be. */
function hasAtMostValues(value: unknown, max: number): boolean {
  let count = 0;
  const visit = (item: unknown): boolean => {
    count += 1;
    if (count > max) return false;
    return item === null || typeof item !== 'object' || Object.values(item).every(visit);
  };
  return visit(value);
}
