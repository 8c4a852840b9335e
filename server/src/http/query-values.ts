import type { AnySchema } from 'ajv';

/** An integer as JSON writes it, without an exponent. The length keeps it exact. */
const INTEGER = /^(0|-?[1-9]\d{0,14})$/;

/**
 * Converts the values of a query or a form, which arrive as text, to the types in its schema. Only the one usual
 * spelling is converted: `5` and `true`, but not `05`, `5.0`, `1e1`, `+5` or `yes`. Other text stays
 * text, which the validator then rejects.
 */
export function convertQuery(schema: AnySchema, query: unknown): void {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  const values = query as Record<string, unknown>;
  for (const [name, { type }] of Object.entries(properties)) {
    const text = values[name];
    if (typeof text !== 'string') continue;
    if (type === 'integer' && INTEGER.test(text)) values[name] = Number(text);
    if (type === 'boolean' && (text === 'true' || text === 'false')) values[name] = text === 'true';
  }
}
