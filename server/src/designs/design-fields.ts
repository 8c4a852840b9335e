import { NewDesignFields } from '@cloche/contract/design-fields';
import { normalizeOptions } from '@cloche/contract/parse-option';
import { Problem } from '@cloche/contract/problem';
import { parseDisplayName } from '../http/display-name.ts';
import { parseJsonBody } from '../http/json-body.ts';
import { ProblemCollector } from '../http/problem-collector.ts';
import { convertQuery } from '../http/query-values.ts';
import { createValidatorCompiler } from '../http/validator-compiler.ts';
import type { DesignFields } from './design.ts';

/** The fields of a new design as texts: in a query, in the parts of a form, or in `Upload-Metadata`. */
export type DesignFieldTexts = { [name in keyof NewDesignFields]?: string | undefined };

/** The names of the fields. `tags`, `metadata` and `viewer` are JSON. */
export const DESIGN_FIELD_NAMES = Object.keys(
  NewDesignFields.properties,
) as readonly (keyof NewDesignFields)[];

const JSON_EXAMPLES = {
  tags: '["chair","oak"]',
  metadata: '{"collection":"autumn 2026"}',
  viewer: '{"background":"#f4f1ec"}',
};

const compileSchema = createValidatorCompiler();

/**
 * Parses the fields of a new design.
 *
 * @param source where the texts are, as in problems: `query`, `header.upload-metadata`, or empty for a form
 * @throws {Problem} request.invalid, with the errors of all fields
 */
export function parseDesignFields(texts: DesignFieldTexts, source: string): NewDesignFields {
  const problems = new ProblemCollector();
  const fields: Record<string, unknown> = {};
  for (const name of DESIGN_FIELD_NAMES) {
    const text = texts[name];
    if (text === undefined) continue;
    fields[name] = isJsonField(name)
      ? problems.tryParse(() => parseJsonField(text, name, source))
      : text;
    if (fields[name] === undefined) delete fields[name];
  }
  convertQuery(NewDesignFields, fields);
  problems.tryParse(() => assertFields(fields, source));
  problems.throwIfAny();
  return fields as NewDesignFields;
}

/** Normalizes the fields of a valid request: spaces around a text, and forms of Unicode. */
export function normalizeDesignFields(fields: NewDesignFields): Partial<DesignFields> {
  const { name, description, tags, externalId, metadata, shared, viewer } = fields;
  const { maxTriangles, maxTextureSize } = fields;
  return {
    ...(name !== undefined && { name: parseDisplayName(name, 'name') }),
    ...(description !== undefined && { description: description.toWellFormed() }),
    ...(tags !== undefined && {
      tags: [...new Set(tags.map((tag, index) => parseDisplayName(tag, `tags[${index}]`)))],
    }),
    ...(externalId !== undefined && { externalId: parseDisplayName(externalId, 'externalId') }),
    ...(metadata !== undefined && { metadata }),
    ...(maxTriangles !== undefined && { maxTriangles }),
    ...(maxTextureSize !== undefined && { maxTextureSize }),
    ...(shared !== undefined && { shared }),
    ...(viewer !== undefined && { viewer: normalizeOptions(viewer) }),
  };
}

/** Completes the fields of a new design. */
export function completeDesignFields(fields: NewDesignFields, defaultName: string): DesignFields {
  return {
    name: defaultName,
    description: '',
    tags: [],
    externalId: undefined,
    metadata: {},
    maxTriangles: undefined,
    maxTextureSize: undefined,
    shared: false,
    viewer: {},
    ...normalizeDesignFields(fields),
  };
}

function isJsonField(name: keyof NewDesignFields): name is keyof typeof JSON_EXAMPLES {
  return name in JSON_EXAMPLES;
}

function parseJsonField(text: string, name: keyof typeof JSON_EXAMPLES, source: string): unknown {
  const field = toFieldPath(source, name);
  try {
    return parseJsonBody(Buffer.from(text.toWellFormed()));
  } catch (cause) {
    if (cause instanceof Problem && cause.code === 'request.duplicate-key') {
      throw new Problem(cause.code, { field: `${field}.${cause.field}`, detail: cause.message });
    }
    const detail = `${field}: must be JSON, such as ${JSON_EXAMPLES[name]}.`;
    throw new Problem('request.invalid', { field, detail, cause });
  }
}

function assertFields(fields: object, source: string): void {
  const validate = compileSchema({
    schema: NewDesignFields,
    method: '',
    url: '',
    httpPart: source === '' ? 'body' : source,
  });
  const result = validate(fields) as true | { error: Problem };
  if (result !== true) throw result.error;
}

function toFieldPath(source: string, name: string): string {
  return source === '' ? name : `${source}.${name}`;
}
