import { texts } from '../i18n/en.ts';
import { formatBytes } from '../ui/format.ts';
import type { UploadItem } from './upload-item.ts';

/** What an upload does, in words: bytes, percent and the remaining time. */
export function describeProgress(item: UploadItem): string {
  const { state, sentBytes, sizeBytes, remainingMs, continuedBytes, progress, fileCount } = item;
  const isIncomplete = item.missingFiles.length > 0;
  const parts: string[] = [isIncomplete ? texts.uploads.incomplete : texts.uploads.states[state]];
  if (state === 'processing' && progress !== null)
    parts.push(texts.uploads.processing(progress.percent, progress.step));
  if (['uploading', 'disconnected', 'paused'].includes(state)) {
    const percent = Math.floor((sentBytes * 100) / Math.max(1, sizeBytes));
    parts.push(texts.uploads.bytes(formatBytes(sentBytes), formatBytes(sizeBytes), percent));
    if (remainingMs !== undefined)
      parts.push(texts.uploads.remaining(formatRemainingTime(remainingMs)));
    if (continuedBytes > 0) parts.push(texts.uploads.continued(formatBytes(continuedBytes)));
  }
  if (state === 'waiting') parts.push(formatBytes(sizeBytes));
  if (fileCount > 1) parts.push(texts.uploads.files(fileCount));
  return parts.join(' · ');
}

/** Formats a time as `40 s`, `3 min` or `2 h`, rounded up. */
function formatRemainingTime(durationMs: number): string {
  const seconds = Math.max(1, Math.ceil(durationMs / 1000));
  if (seconds < 60) return texts.uploads.seconds(seconds);
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return texts.uploads.minutes(minutes);
  return texts.uploads.hours(Math.ceil(minutes / 60));
}
