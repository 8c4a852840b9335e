import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Flow, LinkDirection } from './link-direction.ts';

/** Unsent bytes of a connection, as with `TCP_NOTSENT_LOWAT`: more urgent bytes wait for all of them. */
const UNSENT_LIMIT_BYTES = 16 * 1024;

/** Both directions of a link, as the server sees them. */
export type Link = { down: LinkDirection; up: LinkDirection; roundTripMs: number };

/** The server's end of a connection whose bytes cross a link. `onDelivered` counts bytes to the browser. */
export class ShapedConnection extends Duplex {
  readonly #client: Socket;
  readonly #link: Link;
  readonly #down: Flow;
  readonly #up: Flow;

  constructor(client: Socket, link: Link, onDelivered: (bytes: number) => void) {
    super({ highWaterMark: UNSENT_LIMIT_BYTES });
    this.#client = client;
    this.#link = link;
    this.#down = link.down.openFlow((bytes) => {
      onDelivered(bytes.byteLength);
      client.write(bytes);
    });
    this.#up = link.up.openFlow((bytes) => this.push(bytes));
    client.setNoDelay();
    client.on('error', () => this.destroy());
    client.on('close', () => this.destroy());
    client.on('end', () => this.push(null));
    // The loopback connection is open at once; over the link, its handshake takes a round trip.
    setTimeout(() => {
      client.on('data', (bytes) => {
        link.up.send(this.#up, bytes, () => {});
      });
    }, link.roundTripMs);
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: string, callback: () => void): void {
    this.#link.down.send(this.#down, bytes, callback);
  }

  override _final(callback: () => void): void {
    setTimeout(() => {
      this.#client.end();
      callback();
    }, this.#link.roundTripMs);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#client.destroy();
    this.#link.down.closeFlow(this.#down);
    this.#link.up.closeFlow(this.#up);
    callback(error);
  }
}
