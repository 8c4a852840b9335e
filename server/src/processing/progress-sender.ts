import type { ProcessingProgress } from '@cloche/contract/design';
import type { Database } from '../database/database.ts';
import { publishEvent } from '../events/publish-event.ts';

/** All progress within this time is sent in one event, only the latest of each design. */
const SEND_INTERVAL_MS = 250;

/** Sends the progress of the jobs of this node to the other nodes. */
export class ProgressSender {
  readonly #database: Database;
  readonly #node: string;
  readonly #pending = new Map<string, ProcessingProgress | null>();
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;

  constructor(database: Database, node: string) {
    this.#database = database;
    this.#node = node;
  }

  /** Sends the progress of a design soon. Undefined: no job of the design runs. */
  send(designId: string, progress: ProcessingProgress | undefined): void {
    this.#pending.set(designId, progress ?? null);
    this.#schedule();
  }

  /** Sends what is pending. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#sending;
    await this.#send();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#sending = this.#send().finally(() => {
        this.#timer = undefined;
        if (this.#pending.size > 0) this.#schedule();
      });
    }, SEND_INTERVAL_MS).unref();
  }

  async #send(): Promise<void> {
    if (this.#pending.size === 0) return;
    const progress = [...this.#pending].map(([designId, value]) => ({ designId, progress: value }));
    this.#pending.clear();
    const event = { topic: 'progress', node: this.#node, progress } as const;
    await publishEvent(event, this.#database).catch(() => {
      // The database does not respond. The next progress follows soon, and the end of a job is also a change of its design.
    });
  }
}
