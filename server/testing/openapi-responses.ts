import assert from 'node:assert/strict';
import { Ajv, type ValidateFunction } from 'ajv';
import type { OpenApiDocument, Operation, Schema } from './api-requests.ts';

export type ApiResponse = {
  statusCode: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
};

/** Checks responses against an OpenAPI document. */
export class ResponseValidator {
  readonly #document: OpenApiDocument;
  readonly #ajv: Ajv;
  readonly #validators = new Map<Schema, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.#ajv = new Ajv({ strict: false, validateFormats: false });
    this.#ajv.addSchema({ $id: 'openapi', ...document });
  }

  /**
   * Asserts that the document describes the status, the media type and the body. All errors are described by one
   * response, `Problem`.
   */
  assertDescribed({ responses }: Operation, { statusCode, headers, body }: ApiResponse): void {
    const { components } = this.#document;
    const specific = responses[statusCode];
    const isError = statusCode >= 400;
    assert.ok(specific !== undefined || isError, `the status ${statusCode} is not described`);
    const { content = {} } = specific ?? components.responses.Problem ?? {};
    if (body === '') return;
    const mediaType = String(headers['content-type']).split(';')[0] ?? '';
    // Browsers get errors as pages.
    if (isError && mediaType === 'text/html') return;
    const media = content[mediaType];
    assert.ok(media !== undefined, `${mediaType} with status ${statusCode} is not described`);
    if (!mediaType.endsWith('json') || media.schema === undefined) return;
    const validate = this.#getValidator(media.schema);
    const isValid = validate(JSON.parse(body));
    assert.ok(isValid, `${statusCode} ${body}: ${JSON.stringify(validate.errors)}`);
  }

  #getValidator(schema: Schema): ValidateFunction {
    const found = this.#validators.get(schema);
    if (found !== undefined) return found;
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/'));
    const validator = this.#ajv.compile(absolute);
    this.#validators.set(schema, validator);
    return validator;
  }
}
