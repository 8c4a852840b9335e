/** The parts of /openapi.json that the API page uses. */
export type OpenApi = {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, JsonSchema>;
    securitySchemes: Record<
      string,
      { type: string; in: string; name: string; description: string }
    >;
  };
};

/** A JSON Schema, or a reference to one. */
export type JsonSchema = {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  enum?: string[];
  const?: unknown;
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  examples?: unknown[];
};

export type MediaType = { schema: JsonSchema; example?: unknown };

export type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, unknown>[];
  parameters?: { name: string; in: string; required?: boolean; description?: string }[];
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, { description: string; content?: Record<string, MediaType> }>;
};

/** An operation with its method and path. */
export type Endpoint = Operation & { method: string; path: string };

/** Returns the schema, or the schema that its `$ref` refers to. */
export function resolveRef(api: OpenApi, schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.split('/').at(-1);
  return (name === undefined ? undefined : api.components.schemas[name]) ?? schema;
}
