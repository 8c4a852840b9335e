import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidResultError } from './read-results.ts';
import { RESULT_NAME_PATTERN } from './worker-protocol.ts';

const MAX_HEADER_BYTES = 100;
const NEWLINE = 0x0a;

/** Thrown if a worker sends more bytes than allowed. */
export class ResultTooLargeError extends Error {}

/**
 * Receives the files that a worker sends, and writes them to `directory`. The worker itself can write no file, so
 * all its bytes are counted here. worker/send-result.ts has the other end of the pipe.
 *
 * @param maxBytes of all files together
 * @param onFile called with the name of each file that is complete
 * @throws {InvalidResultError} if the worker does not follow the protocol
 * @throws {ResultTooLargeError}
 */
export async function receiveResults(
  pipe: AsyncIterable<Buffer>,
  directory: string,
  maxBytes: number,
  onFile: (name: string) => void = () => undefined,
): Promise<void> {
  await using receiver = new ResultReceiver(directory, maxBytes, onFile);
  for await (const chunk of pipe) await receiver.receive(chunk);
  receiver.assertComplete();
}

type IncomingFile = { name: string; handle: FileHandle; missingBytes: number };

/** Splits the bytes of the pipe into files. */
class ResultReceiver implements AsyncDisposable {
  readonly #directory: string;
  readonly #onFile: (name: string) => void;
  #remainingBytes: number;
  #header = Buffer.alloc(0);
  #file: IncomingFile | undefined;

  constructor(directory: string, maxBytes: number, onFile: (name: string) => void) {
    this.#directory = directory;
    this.#onFile = onFile;
    this.#remainingBytes = maxBytes;
  }

  async receive(chunk: Buffer): Promise<void> {
    let rest = chunk;
    while (rest.length > 0) {
      rest =
        this.#file === undefined
          ? await this.#receiveHeader(rest)
          : await this.#receiveContent(rest, this.#file);
    }
  }

  assertComplete(): void {
    if (this.#file !== undefined || this.#header.length > 0)
      throw new InvalidResultError('a file is incomplete');
  }

  /** Returns the bytes after the header. */
  async #receiveHeader(chunk: Buffer): Promise<Buffer> {
    const end = chunk.indexOf(NEWLINE);
    this.#header = Buffer.concat([this.#header, end < 0 ? chunk : chunk.subarray(0, end)]);
    if (this.#header.length > MAX_HEADER_BYTES)
      throw new InvalidResultError('a header is too long');
    if (end < 0) return chunk.subarray(chunk.length);
    const { name, bytes } = parseHeader(this.#header.toString('latin1'));
    this.#header = Buffer.alloc(0);
    this.#remainingBytes -= bytes;
    if (this.#remainingBytes < 0) throw new ResultTooLargeError(`${name} has ${bytes} bytes`);
    this.#file = {
      name,
      handle: await createFile(this.#directory, name),
      missingBytes: bytes,
    };
    await this.#closeIfComplete(this.#file);
    return chunk.subarray(end + 1);
  }

  /** Returns the bytes after the file. */
  async #receiveContent(chunk: Buffer, file: IncomingFile): Promise<Buffer> {
    const content = chunk.subarray(0, file.missingBytes);
    await file.handle.writeFile(content);
    file.missingBytes -= content.length;
    await this.#closeIfComplete(file);
    return chunk.subarray(content.length);
  }

  async #closeIfComplete({ name, handle, missingBytes }: IncomingFile): Promise<void> {
    if (missingBytes > 0) return;
    this.#file = undefined;
    await handle.close();
    this.#onFile(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.handle.close();
  }
}

/** Parses `model.glb 1234`. */
function parseHeader(line: string): { name: string; bytes: number } {
  const [, name = '', bytes] = /^(\S+) (\d{1,15})$/.exec(line) ?? [];
  if (!RESULT_NAME_PATTERN.test(name)) throw new InvalidResultError('a header is not valid');
  return { name, bytes: Number(bytes) };
}

async function createFile(directory: string, name: string): Promise<FileHandle> {
  try {
    return await open(join(directory, name), 'wx');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new InvalidResultError(`${name} was sent twice`);
  }
}
