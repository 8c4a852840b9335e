/**
 * The codes of all problems, with the status and title that are sent (RFC 9457,
 * application/problem+json).
 *
 * Clients rely on the codes: never rename or reuse a released one. docs/problems.md explains each
 * code, and a test fails when that page and this list differ.
 */
export const problems = {
  'request.invalid': { status: 400, title: 'The request does not match its schema.' },
  'request.broken-json': { status: 400, title: 'The request body is not valid JSON.' },
  'request.duplicate-key': { status: 400, title: 'The JSON has the same key twice.' },
  'request.too-deep': { status: 400, title: 'The JSON is nested too deeply.' },
  'request.ambiguous-host': { status: 400, title: 'The request does not name exactly one host.' },
  'request.malformed': { status: 400, title: 'The request is not well-formed HTTP.' },
  'request.range': { status: 416, title: 'The requested range is outside the file.' },
  'request.cursor': { status: 400, title: 'The cursor is not from this list.' },
  'request.not-acceptable': {
    status: 406,
    title: 'The route cannot produce any of the accepted media types.',
  },
  'request.timeout': { status: 408, title: 'The request did not arrive in time.' },
  'request.precondition-failed': {
    status: 412,
    title: 'It has changed since the version that If-Match names.',
  },
  'request.too-large': {
    status: 413,
    title: 'The request body is larger than this route accepts.',
  },
  'request.media-type': { status: 415, title: 'The route does not accept this type of body.' },
  'request.wrong-host': { status: 421, title: 'This service does not serve that host.' },
  'request.rate-limited': { status: 429, title: 'Too many requests were sent.' },
  'request.headers-too-large': { status: 431, title: 'The request headers are too large.' },
  'idempotency.reused': {
    status: 422,
    title: 'The Idempotency-Key was used for another request.',
  },
  'idempotency.in-progress': {
    status: 409,
    title: 'The first request with this Idempotency-Key is still running.',
  },
  'route.unknown': { status: 404, title: 'There is no route at this URL.' },
  'route.method': { status: 405, title: 'The route does not support this method.' },

  'token.missing': { status: 401, title: 'No API token was sent.' },
  'token.malformed': { status: 401, title: 'The text is not a Cloche token.' },
  'token.unknown': { status: 401, title: 'The token does not exist on this service.' },
  'token.revoked': { status: 401, title: 'The token was revoked.' },
  'token.expired': { status: 401, title: 'The token has expired.' },
  'token.user-disabled': { status: 401, title: 'The user of the token is disabled.' },
  'token.capability': { status: 403, title: 'The token does not have the required capability.' },
  'token.origin': { status: 403, title: 'The token may not be used from this origin.' },
  'token.secret-in-browser': {
    status: 403,
    title: 'A browser sent a secret token, which is for servers.',
  },
  'token.scope-exceeded': {
    status: 403,
    title: 'The token would exceed the scope of the token in the Authorization header.',
  },
  'token.operator': { status: 403, title: 'The token does not belong to an operator.' },
  'token.user': { status: 400, title: 'A token cannot be created for this user.' },
  'token.not-found': { status: 404, title: 'There is no such token.' },
  'token.not-rotatable': { status: 409, title: 'The token cannot be rotated.' },
  'token.last-issuer': {
    status: 409,
    title: 'The token is the last one that can create others.',
  },
  'session.ended': { status: 401, title: 'The session has ended.' },
  'session.link': { status: 401, title: 'The link to sign in cannot be used.' },
  'session.unknown': { status: 404, title: 'There is no such session.' },

  'user.unknown': { status: 404, title: 'There is no such user.' },
  'user.operator': {
    status: 403,
    title: 'An operator cannot be disabled or enabled by a request.',
  },

  'origin.invalid': { status: 400, title: 'A token cannot list this origin.' },

  'design.unknown': { status: 404, title: 'There is no such design.' },
  'design.too-large': { status: 413, title: 'The file is larger than this service accepts.' },
  'design.checksum': {
    status: 422,
    title: 'The SHA-256 of the file does not match the expected one.',
  },
  'design.unsupported': { status: 422, title: 'Cloche does not support the format of the file.' },
  'design.unreadable': { status: 422, title: 'The file is damaged, or not valid in its format.' },
  'design.too-complex': {
    status: 422,
    title: 'The decoded file would exceed a limit.',
  },

  'design.poster-link': {
    status: 403,
    title: 'The URL of the poster is not valid, or has expired.',
  },
  'design.external-id': { status: 409, title: 'Another design has this external id.' },
  'design.not-shared': {
    status: 404,
    title: 'The design does not exist, or its owner does not share it.',
  },
  'design.failed': { status: 422, title: 'The file could not be processed.' },
  'design.not-ready': { status: 503, title: 'The design is still being processed.' },

  'revision.unknown': { status: 404, title: 'The design has no such revision.' },
  'revision.ended': { status: 409, title: 'The revision is not being processed.' },
  'revision.shown': { status: 409, title: 'Embeds show this revision.' },
  'revision.last': { status: 409, title: 'The design has no other revision.' },

  'job.unknown': { status: 404, title: 'There is no such job.' },
  'job.not-failed': { status: 409, title: 'The job has not failed.' },
  'job.ended': { status: 409, title: 'The job has ended.' },

  'upload.unknown': { status: 404, title: 'There is no such upload.' },
  'upload.offset': { status: 409, title: 'The Upload-Offset does not match the bytes received.' },
  'upload.expired': { status: 410, title: 'The upload was not finished in time.' },
  'upload.version': { status: 412, title: 'The request does not use tus 1.0.0.' },
  'upload.too-many': { status: 429, title: 'The token has too many uploads in flight.' },
  'upload.quota': { status: 403, title: 'The quota of the user is not enough for this upload.' },
  'upload.locked': { status: 423, title: 'The upload is locked by another request.' },

  'embed.placeholder': { status: 401, title: 'The HTML still contains the token placeholder.' },
  'embed.secret-token': { status: 403, title: 'A secret token is used in a public page.' },
  'token.design': { status: 403, title: "The design is outside the token's scope." },
  'embed.prefetch': { status: 403, title: 'Designs cannot be prefetched.' },
  'embed.not-an-iframe': { status: 403, title: 'Designs can be shown in an iframe only.' },
  'embed.origin': { status: 403, title: "The origin of the page is not in the token's list." },
  'embed.unverified-origin': {
    status: 403,
    title: 'The origin of the embedding page cannot be verified.',
  },
  'embed.preview-link': { status: 403, title: 'The preview link is invalid or has expired.' },
  'oembed.format': { status: 501, title: 'The format is neither JSON nor XML.' },
  'embed.grant': { status: 403, title: 'The asset grant is missing or has expired.' },
  'embed.ticket': { status: 403, title: 'The ticket of the file is invalid or has expired.' },
  'embed.cross-site': { status: 403, title: 'Assets can be loaded by the viewer only.' },
  'embed.asset': { status: 404, title: 'There is no such asset.' },
  'embed.range': { status: 416, title: 'The requested range is outside the file.' },

  'page.url': { status: 422, title: 'The URL is not that of a page that can be checked.' },
  'page.private-address': { status: 422, title: 'The page has no public address.' },
  'page.unreachable': { status: 422, title: 'The page cannot be fetched.' },
  'page.status': { status: 422, title: 'The page answers with an error.' },
  'page.redirects': { status: 422, title: 'The page redirects too often.' },
  'page.not-html': { status: 422, title: 'The URL is not that of an HTML page.' },
  'page.too-large': { status: 422, title: 'The page is too large to be checked.' },
  'page.timeout': { status: 422, title: 'The page did not arrive in time.' },
  'page.busy': { status: 503, title: 'Too many pages are being checked.' },

  'server.failed': { status: 500, title: 'The service failed to handle the request.' },
  'server.damaged': { status: 500, title: 'The stored data is damaged.' },
  'server.storage-full': { status: 507, title: 'The storage of the service is full.' },
  'server.busy': { status: 503, title: 'Too many files are waiting to be processed.' },
  'server.unavailable': { status: 503, title: 'The service is temporarily unavailable.' },
} as const satisfies Record<string, { status: number; title: string }>;

/** The code of a problem. */
export type ProblemCode = keyof typeof problems;

/** What is wrong with one field of a request. */
export type FieldError = Pick<ProblemDetails, 'code' | 'detail' | 'reason'> & { field: string };

/** Details of one problem. Everything except `cause` is sent to the client. */
export type ProblemOptions = {
  /** What was wrong, and how to correct it. */
  detail?: string;
  /** The invalid part of the request: `capabilities[0]`, `query.limit`, `header.authorization`. */
  field?: string;
  /** A stable identifier of the cause, for codes with several causes. */
  reason?: string;
  /** If several fields are invalid: the errors of all of them. The problem describes the first. */
  errors?: readonly FieldError[];
  /** When to try again; sent as `Retry-After`. */
  retryAfterSeconds?: number;
  /** The current entity tag of the resource; sent as `ETag`. */
  etag?: string;
  /** For our log. Never sent to the client. */
  cause?: unknown;
};

/**
 * An error that is reported to the client.
 *
 * @example throw new Problem('token.not-found', { field: 'path.id' })
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly field: string | undefined;
  readonly reason: string | undefined;
  readonly errors: readonly FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly etag: string | undefined;

  constructor(code: ProblemCode, options: ProblemOptions = {}) {
    super(options.detail ?? problems[code].title, { cause: options.cause });
    this.code = code;
    this.field = options.field;
    this.reason = options.reason;
    this.errors = options.errors;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.etag = options.etag;
  }

  get status(): number {
    return problems[this.code].status;
  }

  /** The response body of RFC 9457. `type` is a URL in our documentation. */
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
      ...(this.errors !== undefined && { errors: this.errors }),
    };
  }
}

/** The body of an error response. */
export type ProblemDetails = {
  type: string;
  status: number;
  code: ProblemCode;
  title: string;
  detail: string;
  field?: string;
  reason?: string;
  errors?: readonly FieldError[];
};
