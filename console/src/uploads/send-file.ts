import { DetailedError, type PreviousUpload, Upload } from 'tus-js-client';
import { ApiError } from '../api/api-error.ts';
import { common } from '../i18n/en/common.ts';
import { CANCELLED } from './upload-signal.ts';

type SendFileOptions = {
  /** Names the file and the user. The URL of the upload is stored under it, until it is complete. */
  fingerprint: string;
  /** Where the file comes from, for people. */
  source: string | undefined;
  /** The design that gets the file as its new revision. Undefined: the file becomes a design. */
  designId: string | undefined;
  /** The URL of the upload if it was begun on this page. */
  uploadUrl: string | undefined;
  /** Whether an upload may be continued that was begun on another page. */
  mayContinue: boolean;
  onUrl: (uploadUrl: string) => void;
  /** Bytes sent so far. The first call has those that the service had received before. */
  onProgress: (sentBytes: number) => void;
  /** The connection is lost, or the service is busy. The upload continues by itself. */
  onWait: () => void;
  signal: AbortSignal;
};

/** The delays begin again after each progress, so a connection may be lost often, and for an hour. */
const RETRY_DELAYS_MS = [0, 1_000, 3_000, 5_000, 10_000, ...Array<number>(180).fill(20_000)];

/** Also those of proxies in front of a service that is restarted. */
const TEMPORARY_STATUSES = [408, 409, 423, 429, 502, 503, 504];

/**
 * Sends a file with tus and returns the id of its design. It continues after the bytes that the service has received, if the
 * upload was begun before.
 *
 * @throws {ApiError} the file was rejected, or the service could not be reached
 */
export async function sendFile(file: File, options: SendFileOptions): Promise<string> {
  const {
    fingerprint,
    source,
    designId,
    uploadUrl,
    mayContinue,
    onUrl,
    onProgress,
    onWait,
    signal,
  } = options;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const upload: Upload = new Upload(file, {
    endpoint: `${location.origin}/v1/uploads`,
    ...(uploadUrl !== undefined && { uploadUrl }),
    retryDelays: RETRY_DELAYS_MS,
    // The library asks whether the browser is online. Not every browser knows.
    onShouldRetry: (error) => {
      const isRetried = isTemporary(error.originalResponse?.getStatus());
      if (isRetried) onWait();
      return isRetried;
    },
    metadata: {
      filename: file.name,
      ...(source !== undefined && { relativePath: source }),
      ...(designId !== undefined && { design: designId }),
    },
    fingerprint: async () => fingerprint,
    removeFingerprintOnSuccess: true,
    onUploadUrlAvailable: () => upload.url && onUrl(upload.url),
    onProgress,
    onError: (error) => reject(toApiError(error)),
    onSuccess: ({ lastResponse }) =>
      resolve(lastResponse.getHeader('Cloche-Design')?.split(':').at(-1) ?? ''),
  });
  const onAbort = () => {
    // Without a connection, the bytes received are deleted when the upload expires.
    upload.abort(signal.reason === CANCELLED).catch(() => undefined);
    reject(signal.reason);
  };
  signal.addEventListener('abort', onAbort);
  try {
    if (uploadUrl === undefined && mayContinue) await continuePrevious(upload);
    signal.throwIfAborted();
    upload.start();
    return await promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function continuePrevious(upload: Upload): Promise<void> {
  const previous: PreviousUpload[] = await upload.findPreviousUploads();
  const latest = previous.toSorted(
    (a, b) => Date.parse(a.creationTime) - Date.parse(b.creationTime),
  );
  const last = latest.at(-1);
  if (last !== undefined) upload.resumeFromPreviousUpload(last);
}

/** Without a status, there was no response. */
function isTemporary(status: number | undefined): boolean {
  return status === undefined || TEMPORARY_STATUSES.includes(status);
}

function toApiError(error: Error | DetailedError): ApiError {
  const response = error instanceof DetailedError ? error.originalResponse : null;
  if (!response) return new ApiError(common.offline);
  return ApiError.fromResponse(response.getStatus(), response.getBody());
}
