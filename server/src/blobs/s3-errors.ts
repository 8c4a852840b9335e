import { Problem } from '@cloche/contract/problem';

/** The parts of an SDK error that we use. Errors of the connection have a `code`, and no status. */
type S3Error = Error & { code?: string; $metadata?: { httpStatusCode?: number } };

const RETRY_AFTER_SECONDS = 2;
const CONNECTION_ERRORS = [
  ...['ECONNRESET', 'EPIPE', 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
];
const TIMEOUT_ERRORS = ['TimeoutError', 'AbortError'];
const FULL_ERRORS = ['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage'];
const MISSING_ERRORS = ['NoSuchKey', 'NotFound'];

/** Whether the same request may succeed at once: the server was busy, or the connection was closed. */
export function isTransient(error: unknown): boolean {
  const { name, code = '', $metadata } = error as S3Error;
  const status = $metadata?.httpStatusCode ?? 0;
  return (
    CONNECTION_ERRORS.includes(code) ||
    name === 'ConditionalRequestConflict' ||
    (status >= 500 && status !== 507)
  );
}

/** Returns undefined if the object does not exist. Throws other errors. */
export function ignoreMissing(error: Error): undefined {
  if (!MISSING_ERRORS.includes(error.name)) throw error;
}

/**
 * Converts an error of the S3 server. Errors of local files stay as they are.
 *
 * @throws {Problem} server.storage-full, server.unavailable
 */
export function throwS3Error(error: unknown): never {
  if (error instanceof Problem || !isS3Error(error)) throw error;
  if (FULL_ERRORS.includes(error.name) || error.$metadata?.httpStatusCode === 507)
    throw new Problem('server.storage-full', { cause: error });
  throw new Problem('server.unavailable', {
    detail: 'The storage of the service does not respond. Nothing was changed; try again.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: error,
  });
}

/** Yields the bytes of a response, and converts the errors that end it. */
export async function* convertS3Errors(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throwS3Error(error);
  }
}

/** Errors of local files have neither the metadata of a response nor a code of the network. */
function isS3Error(error: unknown): error is S3Error {
  if (!(error instanceof Error)) return false;
  const { name, code = '' } = error as S3Error;
  return '$metadata' in error || TIMEOUT_ERRORS.includes(name) || CONNECTION_ERRORS.includes(code);
}
