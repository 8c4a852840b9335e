import { type FieldError, Problem } from '@cloche/contract/problem';
import { toSingleLine } from '@cloche/contract/untrusted-text';
import type { ErrorObject } from 'ajv';
import { findNearestMatch } from './nearest-match.ts';

/** An error of Ajv. With `verbose`: the invalid value, and the schema it does not match. */
type ValidationError = ErrorObject & {
  parentSchema?: {
    examples?: unknown[];
    properties?: object;
    enum?: unknown[];
    /** What other products call the properties. */
    'x-aliases'?: Readonly<Record<string, string | undefined>>;
  };
};

/** Parses a text that has a `format`. Throws a problem of the field if the text is invalid. */
export type FormatParser = (text: string, field: string) => unknown;

/** A client that sends more errors than this corrects the first ones first. */
const MAX_ERRORS = 100;

/**
 * Explains the errors of a validator, at most one per field: which field, what is wrong, what would be
 * valid. Fields that are unknown come first: they often cause the other errors.
 */
export function toFieldErrors(
  errors: readonly ValidationError[],
  httpPart: string,
  formats: Readonly<Record<string, FormatParser>>,
): FieldError[] {
  const byField = new Map<string, FieldError>();
  const isUnknown = ({ keyword }: ValidationError) => keyword === 'additionalProperties';
  const sorted = [...errors.filter(isUnknown), ...errors.filter((error) => !isUnknown(error))];
  for (const error of removeBranches(sorted)) {
    const fieldError = toFieldError(error, toFieldPath(error, httpPart), formats);
    if (!byField.has(fieldError.field)) byField.set(fieldError.field, fieldError);
    if (byField.size === MAX_ERRORS) break;
  }
  return [...byField.values()];
}

/**
 * `anyOf` and `propertyNames` also report the errors inside them. Removes the outer errors, and the error
 * of the null branch of `anyOf`.
 */
function removeBranches(errors: readonly ValidationError[]): readonly ValidationError[] {
  const specific = errors.filter(
    ({ keyword, params }) =>
      keyword !== 'anyOf' && keyword !== 'propertyNames' && params.type !== 'null',
  );
  return specific.length > 0 ? specific : errors;
}

function toFieldError(
  error: ValidationError,
  field: string,
  formats: Readonly<Record<string, FormatParser>>,
): FieldError {
  if (error.keyword === 'format') {
    const problem = findFormatProblem(formats[error.params.format], String(error.data), field);
    if (problem !== undefined) return problem;
  }
  const example = error.parentSchema?.examples?.[0];
  const hint =
    example === undefined || error.keyword === 'additionalProperties'
      ? ''
      : ` Example: ${JSON.stringify(example)}.`;
  return { field, code: 'request.invalid', detail: `${field}: ${toMessage(error)}.${hint}` };
}

function findFormatProblem(
  parse: FormatParser | undefined,
  text: string,
  field: string,
): FieldError | undefined {
  try {
    parse?.(text, field);
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, message: detail, reason } = error;
    return { field, code, detail, ...(reason !== undefined && { reason }) };
  }
}

function toFieldPath(
  { instancePath, keyword, params, propertyName }: ValidationError,
  httpPart: string,
): string {
  const segments = instancePath.split('/').slice(1).map(unescapePointer);
  if (propertyName !== undefined) segments.push(propertyName);
  if (keyword === 'required') segments.push(String(params.missingProperty));
  if (keyword === 'additionalProperties') segments.push(params.additionalProperty);
  const path = segments
    .map((segment) => (/^\d+$/.test(segment) ? `[${segment}]` : `.${formatText(segment)}`))
    .join('');
  return `${FIELD_PREFIXES[httpPart] ?? httpPart}${path}`.replace(/^\./, '') || 'body';
}

const FIELD_PREFIXES: Record<string, string> = {
  body: '',
  querystring: 'query',
  params: 'path',
  headers: 'header',
};

function toMessage(error: ValidationError): string {
  const { keyword, message, params, data } = error;
  switch (keyword) {
    case 'required':
      return 'is missing';
    case 'additionalProperties':
      return explainUnknownField(error);
    case 'type':
      return `must be ${withArticle(String(params.type))}, not ${formatValue(data)}`;
    case 'enum':
      return `must be one of ${formatList(params.allowedValues)}, not ${formatValue(data)}${suggestValue(error)}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}, not ${formatValue(data)}`;
    case 'uniqueItems':
      return `has the same item twice (items ${params.j} and ${params.i})`;
    case 'pattern':
      return `does not have the required form: ${formatValue(data)}`;
    case 'format':
      return `must be a ${params.format}, not ${formatValue(data)}`;
    default:
      return message ?? 'is invalid';
  }
}

/** Suggests the allowed value that was probably meant. */
function suggestValue({ params, data }: ValidationError): string {
  if (typeof data !== 'string' || !Array.isArray(params.allowedValues)) return '';
  const words = params.allowedValues.filter((value) => typeof value === 'string');
  const nearest = findNearestMatch(data, words);
  return nearest === undefined ? '' : ` (did you mean ${JSON.stringify(nearest)}?)`;
}

/** Suggests a field that is not in the request yet. */
function explainUnknownField({ params, data, parentSchema }: ValidationError): string {
  const fields = Object.keys(parentSchema?.properties ?? {});
  const unused = fields.filter((field) => !Object.hasOwn(data as object, field));
  const aliases = parentSchema?.['x-aliases'] ?? {};
  const nearest = Object.hasOwn(aliases, params.additionalProperty)
    ? aliases[params.additionalProperty]
    : findNearestMatch(params.additionalProperty, unused);
  if (nearest !== undefined)
    return `is not a field of this request (did you mean ${JSON.stringify(nearest)}?)`;
  if (fields.length === 0) return 'is not a field of this request; it has no fields';
  return `is not a field of this request; its fields are ${fields.join(', ')}`;
}

const withArticle = (type: string) => (/^[aio]/.test(type) ? `an ${type}` : `a ${type}`);
const formatList = (values: unknown) =>
  Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(', ') : String(values);

function formatValue(data: unknown): string {
  if (Array.isArray(data)) return 'an array';
  if (data !== null && typeof data === 'object') return 'an object';
  return formatText(JSON.stringify(data) ?? 'nothing');
}

const formatText = (text: unknown) => toSingleLine(String(text), 60);

const unescapePointer = (segment: string) => segment.replaceAll('~1', '/').replaceAll('~0', '~');
