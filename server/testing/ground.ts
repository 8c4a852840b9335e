import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Blobs, Draft } from '../src/blobs/blobs.ts';
import { DiskBlobs } from '../src/blobs/disk.ts';

/** A folder of the test's own. */
export async function openFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cloche-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Blobs on disk that wait to be let go before they keep anything. */
export class HeldBlobs implements Blobs {
  readonly #inner: DiskBlobs;
  readonly #gate = Promise.withResolvers<void>();
  readonly #reached = Promise.withResolvers<void>();
  /** Settles when the first draft is about to be kept. */
  readonly reached = this.#reached.promise;

  private constructor(inner: DiskBlobs) {
    this.#inner = inner;
  }

  static async open(t: TestContext): Promise<HeldBlobs> {
    return new HeldBlobs(await DiskBlobs.open(await openFolder(t)));
  }

  letGo(): void {
    this.#gate.resolve();
  }

  async draft(...given: Parameters<Blobs['draft']>): Promise<Draft> {
    const draft = await this.#inner.draft(...given);
    return {
      ...draft,
      keep: async () => {
        this.#reached.resolve();
        await this.#gate.promise;
        await draft.keep();
      },
    };
  }

  open(...given: Parameters<Blobs['open']>) {
    return this.#inner.open(...given);
  }

  read(...given: Parameters<Blobs['read']>) {
    return this.#inner.read(...given);
  }

  copy(...given: Parameters<Blobs['copy']>) {
    return this.#inner.copy(...given);
  }

  remove(...given: Parameters<Blobs['remove']>) {
    return this.#inner.remove(...given);
  }

  list() {
    return this.#inner.list();
  }
}

/** Blobs on a disk that has no room left: the system's own error at the first byte. */
export function fullBlobs(inner: Blobs): Blobs {
  async function* untilFull(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array();
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  }
  return {
    draft: (_bytes, options) => inner.draft(untilFull(), options),
    open: (...given) => inner.open(...given),
    read: (...given) => inner.read(...given),
    copy: (...given) => inner.copy(...given),
    remove: (...given) => inner.remove(...given),
    list: () => inner.list(),
  };
}
