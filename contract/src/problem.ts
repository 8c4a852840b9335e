/**
 * Everything that can go wrong, as the wire says it (RFC 9457, application/problem+json).
 *
 * A code is a promise to clients: never rename or reuse one. docs/problems.md explains each,
 * and a test fails when that page and this list differ.
 */
export const problems = {
  'request.invalid': { status: 400, title: 'The request does not match its schema.' },
  'request.broken-json': { status: 400, title: 'The body is not JSON.' },
  'request.too-deep': { status: 400, title: 'The JSON is nested too deeply.' },
  'request.ambiguous-host': { status: 400, title: 'The request does not name exactly one host.' },
  'request.malformed': { status: 400, title: 'The request is not well-formed HTTP.' },
  'request.cursor': { status: 400, title: 'The cursor does not come from this list.' },
  'request.not-acceptable': { status: 406, title: 'None of the accepted types can be sent.' },
  'request.timeout': { status: 408, title: 'The request did not arrive in time.' },
  'request.too-large': { status: 413, title: 'The body is larger than this route accepts.' },
  'request.media-type': { status: 415, title: 'The body is of a type this route does not read.' },
  'request.wrong-host': { status: 421, title: 'This service does not answer for that host.' },
  'request.headers-too-large': { status: 431, title: 'The request headers are too large.' },
  'idempotency.reused': {
    status: 422,
    title: 'The Idempotency-Key was used for another request.',
  },
  'idempotency.in-progress': {
    status: 409,
    title: 'The first request with this Idempotency-Key is still running.',
  },
  'route.unknown': { status: 404, title: 'There is nothing at this address.' },
  'route.method': { status: 405, title: 'This address does not answer that method.' },

  'token.missing': { status: 401, title: 'No API token was sent.' },
  'token.malformed': { status: 401, title: 'That is not a Cloche token.' },
  'token.unknown': { status: 401, title: 'The token does not exist here.' },
  'token.revoked': { status: 401, title: 'The token was revoked.' },
  'token.expired': { status: 401, title: 'The token has expired.' },
  'token.capability': { status: 403, title: 'The token does not grant this.' },
  'token.origin': { status: 403, title: 'The token may not be used from this origin.' },
  'token.secret-in-browser': {
    status: 403,
    title: 'A secret token for servers was sent by a browser.',
  },
  'token.reach': { status: 403, title: 'The new token would reach further than the one used.' },
  'token.user': { status: 400, title: 'Tokens are made for oneself only.' },
  'token.not-found': { status: 404, title: 'There is no such token.' },
  'origin.invalid': { status: 400, title: 'That is not an origin a token may list.' },

  'design.unknown': { status: 404, title: 'There is no such design.' },
  'design.too-large': { status: 413, title: 'The file is larger than this service accepts.' },
  'design.checksum': { status: 422, title: 'The file is not the one that was announced.' },
  'design.unsupported': { status: 422, title: 'The file is not of a format Cloche reads.' },
  'design.unreadable': { status: 422, title: 'The file is damaged, or not valid in its format.' },
  'design.too-complex': { status: 422, title: 'The file would decode to more than is allowed.' },

  'design.failed': { status: 422, title: 'The file could not be processed.' },
  'design.not-ready': { status: 503, title: 'The design is still being prepared.' },

  'upload.unknown': { status: 404, title: 'There is no such upload.' },
  'upload.offset': { status: 409, title: 'The upload stands elsewhere.' },
  'upload.expired': { status: 410, title: 'The upload was not finished in time.' },
  'upload.version': { status: 412, title: 'The request does not speak tus 1.0.' },
  'upload.busy': { status: 423, title: 'The upload is being worked on.' },

  'embed.placeholder': { status: 401, title: 'The token placeholder was left in the HTML.' },
  'embed.secret-token': { status: 403, title: 'A secret token was put into a public page.' },
  'token.design': { status: 403, title: 'The token does not reach this design.' },
  'embed.prefetch': { status: 403, title: 'Designs are not prefetched.' },
  'embed.not-an-iframe': { status: 403, title: 'Designs are shown in an iframe only.' },
  'embed.origin': { status: 403, title: 'This site is not on the token’s list.' },
  'embed.no-evidence': { status: 403, title: 'The request does not show where it comes from.' },
  'embed.grant': { status: 403, title: 'The permission to load this design is missing or stale.' },
  'embed.cross-site': { status: 403, title: 'Models are given to the viewer only.' },
  'embed.asset': { status: 404, title: 'There is no such asset.' },
  'embed.range': { status: 416, title: 'The asset has no such range.' },

  'server.failed': { status: 500, title: 'Something failed on our side.' },
  'server.storage-full': { status: 507, title: 'The service has no room left.' },
  'server.busy': { status: 503, title: 'Too many files are waiting to be processed.' },
  'server.unavailable': { status: 503, title: 'The service cannot answer just now.' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problems;

/** What a problem says beside its code. `detail`, `field` and `reason` go to the client. */
export type ProblemOptions = {
  /** For the client: what was wrong, and what would be right. */
  detail?: string;
  /** The part of the request at fault: `capabilities[0]`, `query.limit`, `header.authorization`. */
  field?: string;
  /** A stable word where one code has several causes. */
  reason?: string;
  /** After so many seconds it may be well again; sent as `Retry-After`. */
  retryAfterSeconds?: number;
  /** For our log; never leaves. */
  cause?: unknown;
};

/** A failure the caller should hear about. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly field: string | undefined;
  readonly reason: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ProblemCode, options: ProblemOptions = {}) {
    super(options.detail ?? problems[code].title, { cause: options.cause });
    this.code = code;
    this.field = options.field;
    this.reason = options.reason;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return problems[this.code].status;
  }

  /** The body as RFC 9457 has it; `type` is a page of our own documentation. */
  toJSON(): ProblemDetails {
    const { status, title } = problems[this.code];
    return {
      type: `/docs/problems#${this.code}`,
      status,
      code: this.code,
      title,
      detail: this.message,
      ...(this.field !== undefined && { field: this.field }),
      ...(this.reason !== undefined && { reason: this.reason }),
    };
  }
}

export type ProblemDetails = {
  type: string;
  status: number;
  code: ProblemCode;
  title: string;
  detail: string;
  field?: string;
  reason?: string;
};
