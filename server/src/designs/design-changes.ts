import type { ProgressHub } from '../processing/progress.ts';
import type { DesignRecord } from './design.ts';
import type { DesignStore } from './design-store.ts';

/** A change of a design. */
export type DesignChange =
  /** The design was added or changed. */
  | { type: 'design'; design: DesignRecord }
  /** Its processing has progressed. */
  | { type: 'progress'; design: DesignRecord }
  | { type: 'deleted'; design: Pick<DesignRecord, 'id' | 'user'> }
  /** Changes may have been missed. */
  | { type: 'reset' };

type ChangeListener = (change: DesignChange) => void;

/** What happened to a design that was not read since. `deletedFrom`: its user, if it was deleted. */
type PendingChange = { type: 'design' | 'progress' } | { type: 'deleted'; deletedFrom: string };

/** The changes of all designs, for those who follow all designs of a user. Each change is read once for all of them. */
export class DesignChanges {
  readonly #designs: Pick<DesignStore, 'find'>;
  readonly #listeners = new Map<string, Set<ChangeListener>>();
  /** By the id of the design, in the order of the changes. */
  readonly #pending = new Map<string, PendingChange>();
  #isReading = false;

  constructor(designs: Pick<DesignStore, 'find'>, progress: Pick<ProgressHub, 'subscribeToAll'>) {
    this.#designs = designs;
    progress.subscribeToAll({
      onChange: (id, deletedFrom) =>
        this.#add(
          id,
          deletedFrom === undefined ? { type: 'design' } : { type: 'deleted', deletedFrom },
        ),
      onProgress: (id) => {
        if (!this.#pending.has(id)) this.#add(id, { type: 'progress' });
      },
      onMissed: () => this.#reset(),
    });
  }

  /** Calls `listener` on each change of a design of a user, until disposed. */
  subscribe(user: string, listener: ChangeListener): Disposable {
    const listeners = this.#listeners.get(user) ?? new Set();
    this.#listeners.set(user, listeners.add(listener));
    return {
      [Symbol.dispose]: () => {
        listeners.delete(listener);
        if (listeners.size === 0) this.#listeners.delete(user);
      },
    };
  }

  #add(id: string, change: PendingChange): void {
    if (this.#listeners.size === 0) return;
    // A design that was deleted does not come back.
    if (this.#pending.get(id)?.type !== 'deleted') this.#pending.set(id, change);
    if (!this.#isReading) void this.#read();
  }

  /** One design at a time, so that changes are sent in their order. */
  async #read(): Promise<void> {
    this.#isReading = true;
    for (const [id, change] of this.#pending) {
      this.#pending.delete(id);
      try {
        await this.#send(id, change);
      } catch {
        // The design is damaged, or the database does not respond: the lists that are read then say it.
        this.#reset();
      }
    }
    this.#isReading = false;
  }

  async #send(id: string, change: PendingChange): Promise<void> {
    if (change.type === 'deleted') {
      const user = change.deletedFrom;
      this.#call(user, { type: 'deleted', design: { id, user } });
      return;
    }
    const design = await this.#designs.find(id);
    // Not yet committed, or deleted: another change follows.
    if (design !== undefined) this.#call(design.user, { type: change.type, design });
  }

  #reset(): void {
    for (const user of [...this.#listeners.keys()]) this.#call(user, { type: 'reset' });
  }

  #call(user: string, change: DesignChange): void {
    for (const listener of [...(this.#listeners.get(user) ?? [])]) listener(change);
  }
}
