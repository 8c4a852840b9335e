import { writeSync } from 'node:fs';
import { RESULTS_FD } from '../worker-protocol.ts';

/**
 * Sends a file to the parent, which writes it to the directory `out` of the job: this process can write no
 * files. Waits until the parent has read it.
 */
export function sendResult(name: string, content: Uint8Array | string): void {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  writeAll(Buffer.from(`${name} ${bytes.length}\n`));
  writeAll(bytes);
}

function writeAll(bytes: Uint8Array): void {
  let offset = 0;
  while (offset < bytes.length) offset += writeSync(RESULTS_FD, bytes, offset);
}
