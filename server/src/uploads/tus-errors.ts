import { Problem } from '@cloche/contract/problem';
import { ERRORS } from '@tus/server';
import { fileTooLargeError } from '../blobs/blob-store.ts';
import type { TusUpload } from './tus-upload.ts';

/** What the library throws where it is not an error of ours: a status, and a line of text. */
type TusServerError = { status_code: number; body: string };

/** Makes a problem of what went wrong in the library. */
export function toTusProblem(
  error: unknown,
  { maxUploadBytes }: { maxUploadBytes: number },
  arrival: TusUpload | undefined,
): unknown {
  if (error instanceof Problem) return error;
  if (typeof error === 'string') return new Problem('request.invalid', { detail: error.trim() });
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new Problem('server.storage-full', { cause: error });
  switch ((error as Partial<TusServerError>).body) {
    case ERRORS.FILE_NOT_FOUND.body:
      return unknownUploadError();
    case ERRORS.FILE_NO_LONGER_EXISTS.body:
      return expiredUploadError();
    case ERRORS.INVALID_OFFSET.body:
      return new Problem('upload.offset', { field: 'header.upload-offset', detail: OFFSET_DETAIL });
    case ERRORS.ERR_SIZE_EXCEEDED.body:
    case ERRORS.ERR_MAX_SIZE_EXCEEDED.body:
      return sizeExceededError(arrival, maxUploadBytes);
    case ERRORS.INVALID_LENGTH.body:
      return new Problem('request.invalid', {
        field: UPLOAD_LENGTH_FIELD,
        detail: UPLOAD_LENGTH_DETAIL,
      });
    case ERRORS.ABORTED.body:
      return new Problem('upload.busy', { detail: LOCK_LOST_DETAIL });
    default:
      return error;
  }
}

/** The answer to a name of an upload that is not the caller's, or nobody's. */
export function unknownUploadError(): Problem {
  return new Problem('upload.unknown', { detail: UNKNOWN_DETAIL });
}

export function expiredUploadError(): Problem {
  return new Problem('upload.expired', { detail: EXPIRED_DETAIL });
}

/** The limit is that of the service, or the length the client gave. */
function sizeExceededError(arrival: TusUpload | undefined, maxBytes: number): Problem {
  const length = arrival?.sizeBytes;
  if (length === undefined) return fileTooLargeError(maxBytes);
  return new Problem('request.too-large', {
    field: 'body',
    detail: `The body goes past the end of the upload, which has ${length} bytes by its Upload-Length.`,
  });
}

const UNKNOWN_DETAIL = 'There is no such upload here. Begin one with POST /v1/uploads.';
const EXPIRED_DETAIL =
  'Uploads end 24 hours after they were begun, and this one has. Begin another with POST /v1/uploads.';
const OFFSET_DETAIL =
  'header.upload-offset: is not where the upload stands. Ask with HEAD how far it is, and go on from there.';
const UPLOAD_LENGTH_FIELD = 'header.upload-length';
const UPLOAD_LENGTH_DETAIL =
  'header.upload-length: must be the size of the file, said once and not less than what is here already. Who does not know it yet begins with "Upload-Defer-Length: 1" instead.';
const LOCK_LOST_DETAIL = 'A newer request took this upload over. Ask with HEAD how far it is.';
