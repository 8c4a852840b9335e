import { Problem } from '@cloche/contract/problem';
import { ERRORS } from '@tus/server';
import { createFileTooLargeError } from '../blobs/blob-store.ts';
import { isDiskFull } from '../disk/disk-reserve.ts';
import type { TusUpload } from './tus-upload.ts';

/** An object that @tus/server throws for protocol errors. It is not an Error. */
type TusServerError = { status_code: number; body: string };

export type TusErrorContext = { maxUploadBytes: number; upload: TusUpload | undefined };

/** Converts an error of @tus/server to a problem. Returns other errors unchanged. */
export function toTusProblem(error: unknown, context: TusErrorContext): unknown {
  if (error instanceof Problem) return error;
  if (typeof error === 'string') return new Problem('request.invalid', { detail: error.trim() });
  if (isDiskFull(error)) return new Problem('server.storage-full', { cause: error });
  switch ((error as Partial<TusServerError>).body) {
    case ERRORS.FILE_NOT_FOUND.body:
      return createUnknownUploadError();
    case ERRORS.FILE_NO_LONGER_EXISTS.body:
      return createExpiredUploadError();
    case ERRORS.INVALID_OFFSET.body:
      return new Problem('upload.offset', { field: 'header.upload-offset', detail: OFFSET_DETAIL });
    case ERRORS.ERR_SIZE_EXCEEDED.body:
    case ERRORS.ERR_MAX_SIZE_EXCEEDED.body:
      return createSizeExceededError(context);
    case ERRORS.INVALID_LENGTH.body:
      return new Problem('request.invalid', {
        field: 'header.upload-length',
        detail: UPLOAD_LENGTH_DETAIL,
      });
    case ERRORS.ABORTED.body:
      return createLeaseLostError();
    default:
      return error;
  }
}

export function createLeaseLostError(): Problem {
  return new Problem('upload.locked', { detail: LOCK_LOST_DETAIL });
}

/** Used for unknown ids, and for uploads that the token may not use. */
export function createUnknownUploadError(): Problem {
  return new Problem('upload.unknown', {
    detail: 'There is no such upload. Create one with POST /v1/uploads.',
  });
}

export function createExpiredUploadError(): Problem {
  return new Problem('upload.expired', {
    detail:
      'Uploads expire 24 hours after creation, and this one has expired. Create another with POST /v1/uploads.',
  });
}

/** The limit is the Upload-Length; while the length is deferred, it is `maxUploadBytes`. */
function createSizeExceededError({ upload, maxUploadBytes }: TusErrorContext): Problem {
  if (upload?.sizeBytes === undefined) return createFileTooLargeError(maxUploadBytes);
  return new Problem('request.too-large', {
    field: 'body',
    detail: `The body exceeds the Upload-Length of ${upload.sizeBytes} bytes.`,
  });
}

const OFFSET_DETAIL =
  'header.upload-offset: does not match the bytes received. Send HEAD for the current offset and continue from there.';
const UPLOAD_LENGTH_DETAIL =
  'header.upload-length: must be the size of the file, sent once and not smaller than the bytes received. If it is not known yet, create the upload with "Upload-Defer-Length: 1".';
const LOCK_LOST_DETAIL =
  'A newer request has taken the lock on this upload. Send HEAD for the current offset.';
