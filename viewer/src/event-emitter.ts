type Listener = (payload: never) => void;

/** Typed events: `Events` maps the name of each event to its payload. */
export class EventEmitter<Events> {
  readonly #listeners = new Map<keyof Events, Set<Listener>>();

  /** Calls the listener for each event of that name, until the result is disposed. */
  on<Name extends keyof Events>(
    event: Name,
    listener: (payload: Events[Name]) => void,
  ): Disposable {
    const listeners = this.#listeners.get(event) ?? new Set<Listener>();
    this.#listeners.set(event, listeners.add(listener));
    return { [Symbol.dispose]: () => void listeners.delete(listener) };
  }

  /** Calls the listeners in the order in which they were added. */
  emit<Name extends keyof Events>(event: Name, payload: Events[Name]): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) listener(payload as never);
  }

  /** Removes all listeners. */
  clear(): void {
    this.#listeners.clear();
  }
}
