import { createHook } from 'node:async_hooks';

const kept: object[] = [];

/**
 * Keeps `process.nextTick` as fast as it starts out. An answer takes some ten ticks.
 *
 * Node makes the object of a tick in a literal with computed keys, which V8 makes fast for one hidden
 * class. That is collected with the last object of it; the next tick has another, and from then on each
 * is made the slow way, four times as dear. So one is kept for ever. docs/decisions/0010.
 */
export function keepTicksFast(): void {
  const hook = createHook({
    init: (_id, type, _trigger, resource) => {
      if (type === 'TickObject') kept.push(resource);
    },
    trackPromises: false,
  });
  hook.enable();
  process.nextTick(() => {});
  hook.disable();
}
