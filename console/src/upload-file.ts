import { DetailedError, Upload } from 'tus-js-client';
import type { ApiClient } from './api-client.ts';
import { ApiError, CONNECTION_ERROR_MESSAGE } from './api-error.ts';

export type UploadFileOptions = {
  /** Bytes sent so far. */
  onProgress: (sentBytes: number) => void;
  signal: AbortSignal;
};

const RETRY_DELAYS_MS = [0, 1000, 3000, 5000, 10_000, 20_000];

/**
 * Uploads a file with tus and returns the id of its design. After an interruption of the connection, or
 * when the same file is chosen again after a reload of the page, it continues after the bytes received.
 *
 * @throws {ApiError} the file was rejected, or the service could not be reached
 */
export async function uploadFile(
  client: ApiClient,
  file: File,
  { onProgress, signal }: UploadFileOptions,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const upload = new Upload(file, {
    endpoint: `${location.origin}/v1/uploads`,
    retryDelays: RETRY_DELAYS_MS,
    metadata: { filename: file.name },
    removeFingerprintOnSuccess: true,
    // Set for each request: the session is renewed during a long upload.
    onBeforeRequest: (request) => request.setHeader('Authorization', client.authorization),
    onProgress,
    onError: (error) => reject(toApiError(error)),
    onSuccess: ({ lastResponse }) =>
      resolve(lastResponse.getHeader('Cloche-Design')?.split(':').at(-1) ?? ''),
  });
  signal.addEventListener('abort', () => {
    // The bytes received are deleted now if possible, otherwise when the upload expires.
    upload.abort(true).catch(() => undefined);
    reject(signal.reason);
  });
  const [previous] = await upload.findPreviousUploads();
  if (previous !== undefined) upload.resumeFromPreviousUpload(previous);
  upload.start();
  return promise.catch((error) => {
    if (error instanceof ApiError) client.reportError(error);
    throw error;
  });
}

function toApiError(error: Error | DetailedError): ApiError {
  const response = error instanceof DetailedError ? error.originalResponse : null;
  if (!response) return new ApiError(CONNECTION_ERROR_MESSAGE);
  return ApiError.fromResponse(response.getStatus(), response.getBody());
}
