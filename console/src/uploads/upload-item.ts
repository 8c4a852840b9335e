import type { Design } from '@cloche/contract/design';
import { ApiError } from '../api/api-error.ts';

type UploadState =
  /** It has no place yet: only some files are sent at the same time. */
  | 'waiting'
  /** Its files are packed into a zip. */
  | 'preparing'
  | 'uploading'
  /** The connection is lost. It continues by itself. */
  | 'disconnected'
  | 'paused'
  /** The service has the file. */
  | 'processing'
  | 'ready'
  | 'failed'
  | 'cancelled';

/** A future design, from a file until it is processed. Never changed: each change makes a new object. */
export type UploadItem = {
  id: string;
  name: string;
  fileCount: number;
  sizeBytes: number;
  sentBytes: number;
  /** The bytes that the service had received before, if an upload was continued. */
  continuedBytes: number;
  /** Undefined until it is known. */
  remainingMs: number | undefined;
  state: UploadState;
  error: unknown;
  /** What the service says about files that the model refers to, and that were not uploaded. */
  missingFiles: readonly string[];
  designId: string | undefined;
  progress: Design['progress'];
};

/** Statuses of responses about a file that the service does not accept. */
const REJECTIONS = [400, 413, 415, 422];

/** Whether an error says that the file is not accepted: it would be rejected again. */
export function isRejection(error: unknown): boolean {
  return error instanceof ApiError && REJECTIONS.includes(error.problem?.status ?? 0);
}

/** States in which an upload has a place among those that are sent. */
const SENDING: readonly UploadState[] = ['preparing', 'uploading', 'disconnected'];
const FINISHED: readonly UploadState[] = ['ready', 'failed', 'cancelled'];

export const isSending = ({ state }: UploadItem) => SENDING.includes(state);
export const isFinished = ({ state }: UploadItem) => FINISHED.includes(state);
/** Whether it is finished, and says nothing that someone should read. */
export const isUploadSettled = ({ state, missingFiles }: UploadItem) =>
  state === 'cancelled' || (state === 'ready' && missingFiles.length === 0);
/** Whether leaving the page would interrupt it. */
export const isUnsent = (item: UploadItem) =>
  isSending(item) || item.state === 'waiting' || item.state === 'paused';

/** Lists the warnings about files that a model refers to, and that were not uploaded. */
export function listMissingFiles(report: Design['report']): string[] {
  const warnings = report?.warnings.filter(({ code }) => code.endsWith('.missing')) ?? [];
  return warnings.map(({ message }) => message);
}
