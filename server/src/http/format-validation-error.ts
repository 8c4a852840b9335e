import { toSingleLine } from '@cloche/contract/untrusted-text';
import type { FastifySchemaValidationError } from 'fastify/types/schema.js';

type ValidationError = FastifySchemaValidationError & {
  /** With Ajv's `verbose`: the value at fault, and the schema it should have met. */
  data?: unknown;
  parentSchema?: { examples?: unknown[]; properties?: object; enum?: unknown[] };
};

/** The longest value or field name that is repeated in a message. */
const MAX_VALUE_LENGTH = 60;

/** Says of the first fault a validator found: which field, what was wrong, what would be right. */
export function formatValidationError(
  faults: readonly FastifySchemaValidationError[],
  where: string,
): { field: string; detail: string } {
  const fault = pickMostSpecific(faults as readonly ValidationError[]);
  const field = toFieldPath(fault, where);
  const example = fault.parentSchema?.examples?.[0];
  const cure = example === undefined ? '' : ` Right would be ${JSON.stringify(example)}.`;
  return { field, detail: `${field}: ${toMessage(fault)}.${cure}` };
}

/** An alternative (`anyOf`) reports each branch; the branch that came furthest says most. */
function pickMostSpecific(faults: readonly ValidationError[]): ValidationError {
  const telling = faults.filter(
    ({ keyword, params }) => keyword !== 'anyOf' && params.type !== 'null',
  );
  return telling[0] ?? (faults[0] as ValidationError);
}

function toFieldPath({ instancePath, keyword, params }: ValidationError, where: string): string {
  const steps = instancePath.split('/').slice(1).map(unescapePointer);
  if (keyword === 'required') steps.push(String(params.missingProperty));
  if (keyword === 'additionalProperties')
    steps.push(toSingleLine(String(params.additionalProperty), MAX_VALUE_LENGTH));
  const path = steps.reduce(
    (start, step) =>
      /^\d+$/.test(step) ? `${start}[${step}]` : start === '' ? step : `${start}.${step}`,
    '',
  );
  const place = FIELD_PREFIXES[where] ?? where;
  if (path === '') return place === '' ? 'body' : place;
  return place === '' ? path : `${place}.${path}`;
}

const FIELD_PREFIXES: Record<string, string> = {
  body: '',
  querystring: 'query',
  params: 'path',
  headers: 'header',
};

function toMessage(fault: ValidationError): string {
  const { params, data, parentSchema } = fault;
  switch (fault.keyword) {
    case 'required':
      return 'is missing';
    case 'additionalProperties': {
      const known = Object.keys(parentSchema?.properties ?? {});
      return `is not a field of this request; its fields are ${known.join(', ')}`;
    }
    case 'type':
      return `must be ${withArticle(String(params.type))}, not ${formatValue(data)}`;
    case 'enum':
      return `must be one of ${formatList(params.allowedValues)}, not ${formatValue(data)}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}, not ${formatValue(data)}`;
    case 'uniqueItems':
      return `lists the same thing twice (items ${params.j} and ${params.i})`;
    case 'pattern':
      return `does not have the right form: ${formatValue(data)}`;
    case 'format':
      return `must be a ${params.format}, not ${formatValue(data)}`;
    default:
      return fault.message ?? 'is not right';
  }
}

const withArticle = (type: string) => (/^[aio]/.test(type) ? `an ${type}` : `a ${type}`);
const formatList = (values: unknown) =>
  Array.isArray(values) ? values.map((one) => JSON.stringify(one)).join(', ') : String(values);

function formatValue(data: unknown): string {
  if (Array.isArray(data)) return 'an array';
  if (data !== null && typeof data === 'object') return 'an object';
  return toSingleLine(JSON.stringify(data) ?? 'nothing', MAX_VALUE_LENGTH);
}

const unescapePointer = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~');
