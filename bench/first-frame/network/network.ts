import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { FrontOptions } from './front.ts';
import type { NetworkProfile } from './profiles.ts';
import type { ByteCount, WorkerRequest, WorkerResponse } from './worker.ts';

/** The network between the browser and the service, and the files of the other contenders. */
export class Network implements AsyncDisposable {
  readonly #worker: Worker;
  /** The port of the shaped network. */
  readonly sitePort: number;
  /** The port without shaping. */
  readonly plainPort: number;

  private constructor(worker: Worker, ports: { sitePort: number; plainPort: number }) {
    this.#worker = worker;
    this.sitePort = ports.sitePort;
    this.plainPort = ports.plainPort;
  }

  static async open(options: FrontOptions): Promise<Network> {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: options });
    const [ports] = await once(worker, 'message');
    return new Network(worker, ports as { sitePort: number; plainPort: number });
  }

  /** Closes all connections, sets the profile of the next ones, and sets the count of bytes to zero. */
  async setProfile(profile: NetworkProfile): Promise<void> {
    await this.#request({ profile });
  }

  /** Returns the bytes delivered since the last call, with their times. */
  async takeCounts(): Promise<ByteCount[]> {
    const response = await this.#request({ takeCounts: true });
    return 'counts' in response ? response.counts : [];
  }

  async #request(request: WorkerRequest): Promise<WorkerResponse> {
    const response = once(this.#worker, 'message');
    this.#worker.postMessage(request);
    const [message] = await response;
    return message;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
