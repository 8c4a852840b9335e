import { toSingleLine } from '@cloche/contract/untrusted-text';
import type { FastifySchemaValidationError } from 'fastify/types/schema.js';

type ValidationError = FastifySchemaValidationError & {
  /** With Ajv's `verbose`: the invalid value, and the schema it does not match. */
  data?: unknown;
  parentSchema?: { examples?: unknown[]; properties?: object; enum?: unknown[] };
};

/** Explains the first error of a validator: which field, what is wrong, what would be valid. */
export function formatValidationError(
  errors: readonly FastifySchemaValidationError[],
  httpPart: string,
): { field: string; detail: string } {
  const error = pickMostSpecific(errors as readonly ValidationError[]);
  const field = toFieldPath(error, httpPart);
  const example = error.parentSchema?.examples?.[0];
  const hint = example === undefined ? '' : ` Example: ${JSON.stringify(example)}.`;
  return { field, detail: `${field}: ${toMessage(error)}.${hint}` };
}

/** `anyOf` also reports the errors of its branches: picks the first error that is neither `anyOf` itself nor its null branch. */
function pickMostSpecific(errors: readonly ValidationError[]): ValidationError {
  const specific = errors.filter(
    ({ keyword, params }) => keyword !== 'anyOf' && params.type !== 'null',
  );
  return specific[0] ?? (errors[0] as ValidationError);
}

function toFieldPath({ instancePath, keyword, params }: ValidationError, httpPart: string): string {
  const segments = instancePath.split('/').slice(1).map(unescapePointer);
  if (keyword === 'required') segments.push(String(params.missingProperty));
  if (keyword === 'additionalProperties') segments.push(formatText(params.additionalProperty));
  const path = segments
    .map((segment) => (/^\d+$/.test(segment) ? `[${segment}]` : `.${segment}`))
    .join('');
  return `${FIELD_PREFIXES[httpPart] ?? httpPart}${path}`.replace(/^\./, '') || 'body';
}

const FIELD_PREFIXES: Record<string, string> = {
  body: '',
  querystring: 'query',
  params: 'path',
  headers: 'header',
};

function toMessage({ keyword, message, params, data, parentSchema }: ValidationError): string {
  switch (keyword) {
    case 'required':
      return 'is missing';
    case 'additionalProperties': {
      const fields = Object.keys(parentSchema?.properties ?? {});
      return `is not a field of this request; its fields are ${fields.join(', ')}`;
    }
    case 'type':
      return `must be ${withArticle(String(params.type))}, not ${formatValue(data)}`;
    case 'enum':
      return `must be one of ${formatList(params.allowedValues)}, not ${formatValue(data)}`;
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
