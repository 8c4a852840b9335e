/** A file that waits to be validated. */
export type QueuedValidation<Task> = {
  task: Task;
  sizeBytes: number;
  /** Users are served in turn. */
  userId: string;
};

type Entry<Task> = QueuedValidation<Task> & { overtakenBy: number };

/** A file that so many others have overtaken is next, however large it is. */
const MAX_OVERTAKEN = 8;

/** Of so many users, the order in which they were served is known. */
const MAX_SERVED_USERS = 1000;

/**
 * The files that wait for one thread. Next is a file of the user that was served the longest time ago, and of
 * the files of that user the smallest.
 */
export class ValidationQueue<Task> {
  readonly #entries: Entry<Task>[] = [];
  /** The users that were served, the latest last. */
  readonly #servedUserIds = new Set<string>();

  countOfUser(userId: string): number {
    return this.#entries.filter((entry) => entry.userId === userId).length;
  }

  add(file: QueuedValidation<Task>): void {
    this.#entries.push({ ...file, overtakenBy: 0 });
  }

  /** Removes and returns the next file. */
  take(): Task | undefined {
    const servedUserIds = [...this.#servedUserIds];
    const toTurn = ({ userId }: Entry<Task>) => servedUserIds.indexOf(userId);
    const [smallest] = this.#entries.toSorted(
      (a, b) => toTurn(a) - toTurn(b) || a.sizeBytes - b.sizeBytes,
    );
    const next = this.#entries.find(({ overtakenBy }) => overtakenBy >= MAX_OVERTAKEN) ?? smallest;
    if (next === undefined) return undefined;
    const index = this.#entries.indexOf(next);
    // Files that were added before it.
    for (const entry of this.#entries.slice(0, index)) entry.overtakenBy += 1;
    this.#entries.splice(index, 1);
    this.#remember(next.userId);
    return next.task;
  }

  /** Removes and returns all files. */
  clear(): Task[] {
    return this.#entries.splice(0).map(({ task }) => task);
  }

  #remember(userId: string): void {
    this.#servedUserIds.delete(userId);
    this.#servedUserIds.add(userId);
    const [oldest] = this.#servedUserIds;
    if (oldest !== undefined && this.#servedUserIds.size > MAX_SERVED_USERS)
      this.#servedUserIds.delete(oldest);
  }
}
