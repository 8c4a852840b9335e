/** A browser needs the file until it has begun to save it, which it does not report. */
const REVOKE_DELAY_MS = 60_000;

/** Saves a file on the computer. */
export function saveFile(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_DELAY_MS);
}
