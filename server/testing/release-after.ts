import type { TestContext } from 'node:test';

/**
 * Calls a function after a test, and then forgets it with all it refers to. Node keeps the functions that `t.after` gets until the
 * process ends: without this, a process would keep every app of its tests in memory, and collecting garbage would take longer with each.
 */
export function releaseAfter(t: TestContext, close: () => Promise<void>): void {
  let pending: (() => Promise<void>) | undefined = close;
  t.after(async () => {
    const run = pending;
    pending = undefined;
    await run?.();
  });
}
