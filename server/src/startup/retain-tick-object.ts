import { executionAsyncResource } from 'node:async_hooks';

/** Nothing reads it: the object only has to exist. */
const retained: object[] = [];

/**
 * Keeps `process.nextTick` fast. Node creates an object for each call, with computed keys. V8 records the hidden class of these objects
 * when it first sees it, and compiles fast code only while that class is the same. It frees the class in a garbage collection while no
 * such object exists. The next call then has another class, and each later call takes some 0.7 µs instead of 0.15 µs until the process
 * ends: at least a tenth of the processor time of a framed document. Whether that happened was chance: it depended on when V8 collected
 * garbage during the start. While there is one object, the class is not freed. (Node 24.21; in profiles of such a process,
 * `Runtime_DefineKeyedOwnPropertyInLiteral` is called by `nextTick`)
 */
export function retainTickObject(): void {
  process.nextTick(() => {
    retained.push(executionAsyncResource());
  });
}
