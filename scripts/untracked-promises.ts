import asyncHooks from 'node:async_hooks';

/**
 * Lets `node:test` follow no promises in this process: must be loaded before it. It would register each promise with the garbage
 * collector, which then keeps all of them until it collects everything: a fifth of the processor time of the tests of the server.
 *
 * What it follows then is enough for tests that are declared while their file is loaded without waiting. An error outside of
 * the promise of a test is still an error of the run, but not of that test.
 */
const { createHook } = asyncHooks;
const createHookWithoutPromises: typeof createHook = (options) =>
  createHook({ ...options, trackPromises: false });
Object.assign(asyncHooks, { createHook: createHookWithoutPromises });
await import('node:test');
Object.assign(asyncHooks, { createHook });
