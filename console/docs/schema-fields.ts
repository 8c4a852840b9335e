import { h, withCode } from './dom.ts';
import { type JsonSchema, type OpenApi, resolveRef } from './openapi.ts';

/** Renders the fields of a schema as a list. Returns nothing for schemas without fields. */
export function renderFields(api: OpenApi, ref: JsonSchema | undefined): HTMLElement[] {
  const schema = resolveRef(api, ref ?? {});
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return [];
  const items = properties.flatMap(([name, property]) => [
    h(
      'dt',
      {},
      h('code', {}, name),
      ` ${describeType(api, property)}`,
      schema.required?.includes(name) ? '' : h('i', {}, ' · optional'),
    ),
    h('dd', {}, ...withCode(property.description ?? property.items?.description ?? '')),
  ]);
  return [h('dl', { class: 'fields' }, items)];
}

function describeType(api: OpenApi, ref: JsonSchema): string {
  const schema = resolveRef(api, ref);
  if (schema.enum) return schema.enum.length > 8 ? 'a code' : schema.enum.join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return schema.anyOf.map((option) => describeType(api, option)).join(' or ');
  if (schema.type === 'array') return `list of ${describeType(api, schema.items ?? {})}`;
  if (schema.format === 'binary') return 'file';
  return schema.format === 'date-time' ? 'time' : (schema.type ?? 'any value');
}
