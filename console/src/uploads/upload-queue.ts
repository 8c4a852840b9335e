import type { Design } from '@cloche/contract/design';
import type { ProblemDetails } from '@cloche/contract/problem';
import type { ApiClient } from '../api/api-client.ts';
import { ApiError } from '../api/api-error.ts';
import type { DesignEventListener } from '../designs/design-events.ts';
import type { DesignProgress } from '../designs/design-list.ts';
import { ActiveUploads } from './active-uploads.ts';
import { forgetUploads, type InterruptedUpload, listStoredUploads } from './interrupted-uploads.ts';
import type { PlannedUpload } from './planned-upload.ts';
import { runUpload, type UploadRun } from './run-upload.ts';
import {
  isFinished,
  isRejection,
  isSending,
  isUploadSettled,
  listMissingFiles,
  type UploadItem,
} from './upload-item.ts';
import { CANCELLED, PAUSED } from './upload-signal.ts';

/** Files that are sent at the same time. */
const MAX_PARALLEL = 2;

/** What the pages show about uploads. Replaced by each change. */
export type UploadsSnapshot = {
  items: readonly UploadItem[];
  interrupted: readonly InterruptedUpload[];
  /** The id of the upload that was added last, 0 before the first. */
  lastId: number;
};

/** The uploads of this tab, until their designs are ready. They go on while other pages of the console are shown. */
export class UploadQueue implements Disposable, DesignEventListener {
  readonly #client: ApiClient;
  readonly #active = new ActiveUploads();
  readonly #runs = new Map<string, UploadRun>();
  readonly #listeners = new Set<() => void>();
  #snapshot: UploadsSnapshot = { items: [], interrupted: [], lastId: 0 };
  #isHeld = false;

  constructor(client: ApiClient) {
    this.#client = client;
    this.#active.onChange = () => this.findInterrupted();
    this.findInterrupted();
    addEventListener('storage', this.findInterrupted);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getSnapshot = (): UploadsSnapshot => this.#snapshot;

  /** Adds uploads after those that wait already. */
  add(plans: readonly PlannedUpload[]): void {
    let { lastId } = this.#snapshot;
    const added = plans.map((plan): UploadItem => {
      lastId += 1;
      const id = String(lastId);
      this.#runs.set(id, { plan, file: undefined, uploadUrl: undefined, controller: undefined });
      return {
        ...{ id, name: plan.name, fileCount: plan.files.length, state: 'waiting' },
        ...{ sizeBytes: plan.files.reduce((sum, { file }) => sum + file.size, 0), sentBytes: 0 },
        ...{ continuedBytes: 0, remainingMs: undefined, error: undefined },
        ...{ missingFiles: [], designId: undefined, progress: null },
      };
    });
    this.#set({ items: [...this.#snapshot.items, ...added], lastId });
    this.#startNext();
  }

  /** Stops to send a file. What was sent remains. */
  pause(id: string): void {
    this.#runs.get(id)?.controller?.abort(PAUSED);
    this.#update(id, { state: 'paused', remainingMs: undefined });
  }

  /** Continues a file that is paused or failed. */
  resume(id: string): void {
    this.#update(id, { state: 'waiting', error: undefined });
    this.#startNext();
  }

  /** Stops to send a file. What was sent is deleted. */
  cancel(id: string): void {
    const run = this.#runs.get(id);
    run?.controller?.abort(CANCELLED);
    this.#update(id, { state: 'cancelled', remainingMs: undefined });
    if (run?.controller === undefined && run?.uploadUrl !== undefined)
      void this.#terminate(run.uploadUrl);
    this.#forget(id);
  }

  /** Sends nothing until an action is done, which ends the requests of the session. What was sent remains. */
  async holdDuring<T>(action: () => Promise<T>): Promise<T> {
    this.#isHeld = true;
    for (const { id } of this.#snapshot.items.filter(isSending)) {
      this.#runs.get(id)?.controller?.abort(PAUSED);
      this.#update(id, { state: 'waiting', remainingMs: undefined });
    }
    try {
      return await action();
    } finally {
      this.#isHeld = false;
      this.#startNext();
    }
  }

  clearFinished(): void {
    this.#set({ items: this.#snapshot.items.filter((item) => !isFinished(item)) });
  }

  /** Removes the uploads that need no attention. */
  clearSettled(): void {
    this.#set({ items: this.#snapshot.items.filter((item) => !isUploadSettled(item)) });
  }

  /** Lists the uploads that no tab continues at the moment. */
  readonly findInterrupted = (): void => {
    const stored = listStoredUploads(this.#client.session.user);
    const waiting = new Set([...this.#runs.values()].map(({ uploadUrl }) => uploadUrl));
    this.#set({
      interrupted: stored.filter(
        ({ fingerprint, url }) => !this.#active.has(fingerprint) && !waiting.has(url),
      ),
    });
  };

  onDesign({ id, status, progress, problem, report }: Design): void {
    const missingFiles = listMissingFiles(report);
    if (status === 'ready')
      this.#updateProcessed(id, { state: 'ready', progress: null, missingFiles });
    else if (status === 'cancelled') this.#updateProcessed(id, { state: 'cancelled' });
    else if (status === 'failed')
      this.#updateProcessed(id, { state: 'failed', error: toApiError(problem) });
    else this.#updateProcessed(id, { progress });
  }

  onProgress({ id, ...progress }: DesignProgress): void {
    this.#updateProcessed(id, { progress });
  }

  onDeleted(id: string): void {
    for (const item of this.#snapshot.items)
      if (item.designId === id) this.#update(item.id, { state: 'cancelled', designId: undefined });
  }

  onOpen(): void {
    this.onReset();
  }

  onReset(): void {
    for (const { state, designId } of this.#snapshot.items)
      if (state === 'processing' && designId !== undefined) void this.#readDesign(designId);
  }

  [Symbol.dispose](): void {
    removeEventListener('storage', this.findInterrupted);
    for (const { controller } of this.#runs.values()) controller?.abort(PAUSED);
    this.#runs.clear();
    this.#active[Symbol.dispose]();
  }

  #startNext(): void {
    if (this.#isHeld) return;
    const { items } = this.#snapshot;
    let free = MAX_PARALLEL - items.filter(isSending).length;
    for (const { id, state } of items) {
      if (free <= 0) return;
      if (state !== 'waiting') continue;
      free -= 1;
      void this.#run(id);
    }
  }

  async #run(id: string): Promise<void> {
    const run = this.#runs.get(id);
    if (run === undefined) return;
    const update = (change: Partial<UploadItem>) => this.#update(id, change);
    const controller = new AbortController();
    run.controller = controller;
    try {
      const designId = await runUpload(run, {
        user: this.#client.session.user,
        active: this.#active,
        update: (change) => !controller.signal.aborted && update(change),
        signal: controller.signal,
      });
      this.#forget(id);
      update({ state: 'processing', designId });
      void this.#readDesign(designId);
    } catch (error) {
      if (!controller.signal.aborted) this.#fail(id, error);
    } finally {
      if (run.controller === controller) run.controller = undefined;
      this.findInterrupted();
      this.#startNext();
    }
  }

  #fail(id: string, error: unknown): void {
    if (error instanceof ApiError) this.#client.reportError(error);
    if (isRejection(error)) this.#forget(id);
    this.#update(id, { state: 'failed', error, remainingMs: undefined });
  }

  /** An upload that has ended is not continued. */
  #forget(id: string): void {
    const url = this.#runs.get(id)?.uploadUrl;
    this.#runs.delete(id);
    if (url === undefined) return;
    forgetUploads(
      listStoredUploads(this.#client.session.user).filter((stored) => stored.url === url),
    );
  }

  /** It may have become ready before its id was known. */
  async #readDesign(id: string): Promise<void> {
    try {
      this.onDesign(await this.#client.getJson<Design>(`/v1/designs/${id}`));
    } catch {
      // The next change of the design says its state. A token without "read" sees none.
    }
  }

  async #terminate(uploadUrl: string): Promise<void> {
    const { pathname } = new URL(uploadUrl);
    const headers = { 'tus-resumable': '1.0.0' };
    // Otherwise the service deletes it when it expires.
    await fetch(pathname, { method: 'DELETE', headers }).catch(() => undefined);
  }

  /** A design may have several uploads: earlier ones have ended, or wait for its state as well. */
  #updateProcessed(design: string, change: Partial<UploadItem>): void {
    for (const { id, designId, state } of this.#snapshot.items)
      if (designId === design && state === 'processing') this.#update(id, change);
  }

  #update(id: string, change: Partial<UploadItem>): void {
    const items = this.#snapshot.items.map((item) =>
      item.id === id ? { ...item, ...change } : item,
    );
    this.#set({ items });
  }

  #set(change: Partial<UploadsSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** The problem of a design as the error of a request, which says what to do. */
function toApiError(problem: Design['problem']): ApiError {
  const { code = 'design.failed', detail = '' } = problem ?? {};
  const type = `/docs/problems#${code}`;
  return new ApiError(detail, { type, code, detail, title: '', status: 422 } as ProblemDetails);
}
