import { close, open, read } from 'node:fs';
import { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';

/** A larger buffer costs more memory per reader and saves no time. */
const BUFFER_BYTES = 64 * 1024;

/**
 * A stream of a file, or of a range of it, that sends all of it to an HTTP response with one buffer.
 *
 * `fs.createReadStream` allocates a buffer for each chunk. Under 32 readers of a file of 3 MB, collecting these
 * took most of the CPU time, and the process grew by 130 MB. A response calls back when it has written the
 * bytes, so that the buffer can be used again. Every other reader may keep a chunk, and gets buffers of its own.
 */
export class FileStream extends Readable {
  readonly #descriptor: number;
  #position: number;
  /** The end of the range, not included. */
  readonly #end: number;
  #reading = false;
  #onReadingEnd: (() => void) | undefined;

  private constructor(descriptor: number, { start, end }: { start: number; end: number }) {
    super({ highWaterMark: BUFFER_BYTES });
    this.#descriptor = descriptor;
    this.#position = start;
    this.#end = end + 1;
  }

  /** Opens a file. Both ends of the range are included. The stream closes the file. */
  static async open(
    path: string,
    { start, end } = { start: 0, end: Number.POSITIVE_INFINITY },
  ): Promise<FileStream> {
    return new FileStream(await promisify(open)(path, 'r'), { start, end });
  }

  override pipe<T extends NodeJS.WritableStream>(destination: T, options?: { end?: boolean }): T {
    if (!(destination instanceof ServerResponse)) return super.pipe(destination, options);
    if (options?.end !== false) this.once('end', () => destination.end());
    this.#send(destination);
    return destination;
  }

  override _read(): void {
    const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
    this.#readInto(buffer, (length) => this.push(length > 0 ? buffer.subarray(0, length) : null));
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    const closeFile = () => close(this.#descriptor, (closeError) => callback(error ?? closeError));
    // The number of a closed file may be that of another one before the read begins.
    if (this.#reading) this.#onReadingEnd = closeFile;
    else closeFile();
  }

  #send(response: ServerResponse): void {
    const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
    const sendNext = () => {
      // An aborted response. Fastify then destroys this stream.
      if (this.destroyed || response.destroyed) return;
      this.#readInto(buffer, (length) => {
        if (length > 0) response.write(buffer.subarray(0, length), sendNext);
        else this.#endReading();
      });
    };
    sendNext();
  }

  /** Calls `onBytes` with the number of bytes that were read: 0 at the end. */
  #readInto(buffer: Buffer, onBytes: (length: number) => void): void {
    const wanted = Math.min(buffer.length, this.#end - this.#position);
    this.#reading = true;
    read(this.#descriptor, buffer, 0, wanted, this.#position, (error, length) => {
      this.#reading = false;
      this.#onReadingEnd?.();
      if (this.destroyed) return;
      if (error !== null) {
        this.destroy(error);
        return;
      }
      this.#position += length;
      onBytes(length);
    });
  }

  /** Ends the stream although nothing has read from it. */
  #endReading(): void {
    this.push(null);
    this.resume();
  }
}
