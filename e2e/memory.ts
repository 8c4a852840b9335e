import { readFile, writeFile } from 'node:fs/promises';

/** What the kernel keeps of how much memory a process had at most: no moment is missed between two looks. */
export class Memory {
  readonly #folder: string;

  constructor(pid: number) {
    this.#folder = `/proc/${pid}`;
  }

  /** In use now, in bytes. */
  now(): Promise<number> {
    return this.#read('VmRSS');
  }

  /** The most in use at once since this was asked last, or, where the mark cannot be reset, ever. */
  async peak(): Promise<number> {
    const bytes = await this.#read('VmHWM');
    // Only root and the owner may; whoever may not is measured from the start.
    await writeFile(`${this.#folder}/clear_refs`, '5').catch(() => {});
    return bytes;
  }

  async #read(name: string): Promise<number> {
    const status = await readFile(`${this.#folder}/status`, 'utf8');
    return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
  }
}
