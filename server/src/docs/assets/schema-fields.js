import { h, withCode } from './dom.js';

/** The schema itself where there is only a reference to it. */
export function resolve(api, schema) {
  const name = schema?.$ref?.split('/').at(-1);
  return name === undefined ? schema : api.components.schemas[name];
}

/** The fields of a shape as a list; nothing for what has no fields. */
export function fields(api, ref) {
  const schema = resolve(api, ref);
  const properties = Object.entries(schema?.properties ?? {});
  if (properties.length === 0) return [];
  const items = properties.flatMap(([name, property]) => [
    h(
      'dt',
      {},
      h('code', {}, name),
      ` ${typeOf(api, property)}`,
      schema.required?.includes(name) ? '' : h('i', {}, ' · optional'),
    ),
    h('dd', {}, ...withCode(property.description ?? property.items?.description ?? '')),
  ]);
  return [h('dl', { class: 'fields' }, items)];
}

function typeOf(api, ref) {
  const schema = resolve(api, ref);
  if (schema.enum) return schema.enum.length > 8 ? 'a code' : schema.enum.join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(api, one)).join(' or ');
  if (schema.type === 'array') return `list of ${typeOf(api, schema.items)}`;
  if (schema.format === 'binary') return 'file';
  return schema.format === 'date-time' ? 'time' : schema.type;
}
