import { readFile, writeFile } from 'node:fs/promises';

/** What the kernel keeps of how much memory a process had at most: no moment is missed between two looks. */
export class ProcessMemory {
  readonly #procFolder: string;

  constructor(pid: number) {
    this.#procFolder = `/proc/${pid}`;
  }

  /** In use now, in bytes. */
  getResidentBytes(): Promise<number> {
    return this.#readField('VmRSS');
  }

  /** The most in use at once since this was asked last, or, where the mark cannot be reset, ever. */
  async takePeakBytes(): Promise<number> {
    const bytes = await this.#readField('VmHWM');
    // Only root and the owner may; whoever may not is measured from the start.
    await writeFile(`${this.#procFolder}/clear_refs`, '5').catch(() => {});
    return bytes;
  }

  async #readField(name: string): Promise<number> {
    const status = await readFile(`${this.#procFolder}/status`, 'utf8');
    return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
  }
}
