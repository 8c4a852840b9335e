import type { ActiveUploads } from './active-uploads.ts';
import { createFingerprint } from './interrupted-uploads.ts';
import type { PlannedUpload } from './planned-upload.ts';
import { TransferRate } from './transfer-rate.ts';
import type { UploadItem } from './upload-item.ts';

/** What is needed to send an upload. */
export type UploadRun = {
  readonly plan: PlannedUpload;
  /** The file that is sent: a zip if there are several. */
  file: File | undefined;
  /** Undefined until the upload has begun. */
  uploadUrl: string | undefined;
  /** Undefined while it is not sent. */
  controller: AbortController | undefined;
};

type RunOptions = {
  user: string;
  active: ActiveUploads;
  update: (change: Partial<UploadItem>) => void;
  signal: AbortSignal;
};

/** Packs the files if there are several, and sends them. Returns the id of the design. @throws {ApiError} */
export async function runUpload(
  run: UploadRun,
  { user, active, update, signal }: RunOptions,
): Promise<string> {
  const { plan } = run;
  run.file ??= await prepareFile(plan, update, signal);
  const { file } = run;
  const fingerprint = createFingerprint(user, file, plan.designId);
  // The same file may be sent twice at the same time: each is an upload of its own.
  const mayContinue = !active.has(fingerprint);
  using _active = active.add(fingerprint);
  update({ state: 'uploading', sizeBytes: file.size });
  const { sendFile } = await import('./send-file.ts');
  const rate = new TransferRate(file.size);
  return await sendFile(file, {
    fingerprint,
    mayContinue,
    source: plan.files.length > 1 ? plan.files[0].path : undefined,
    designId: plan.designId,
    uploadUrl: run.uploadUrl,
    onUrl: (uploadUrl) => {
      run.uploadUrl = uploadUrl;
    },
    onProgress: (sentBytes) => {
      const remainingMs = rate.add(sentBytes, performance.now());
      update({ state: 'uploading', sentBytes, continuedBytes: rate.startBytes, remainingMs });
    },
    onWait: () => {
      rate.restart();
      update({ state: 'disconnected', remainingMs: undefined });
    },
    signal,
  });
}

/** The file to send. */
async function prepareFile(
  plan: PlannedUpload,
  update: (change: Partial<UploadItem>) => void,
  signal: AbortSignal,
): Promise<File> {
  const [{ file }, ...others] = plan.files;
  if (others.length === 0) return file;
  update({ state: 'preparing' });
  const { packFiles } = await import('./pack-files.ts');
  return packFiles(plan, signal);
}
