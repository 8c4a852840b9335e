import { readFile, writeFile } from 'node:fs/promises';

/** The memory of a process, measured by the kernel, so that no peak between two readings is missed. */
export class ProcessMemory {
  readonly #procFolder: string;

  constructor(pid: number) {
    this.#procFolder = `/proc/${pid}`;
  }

  /** Resident memory now. */
  getResidentBytes(): Promise<number> {
    return this.#readField('VmRSS');
  }

  /** Peak since the last call, or since the process started if the peak cannot be reset. */
  async takePeakBytes(): Promise<number> {
    const bytes = await this.#readField('VmHWM');
    // Only root and the owner of the process may reset it.
    await writeFile(`${this.#procFolder}/clear_refs`, '5').catch(() => {});
    return bytes;
  }

  async #readField(name: string): Promise<number> {
    const status = await readFile(`${this.#procFolder}/status`, 'utf8');
    return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
  }
}
