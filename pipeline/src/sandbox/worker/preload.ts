/*
 * Runs in the worker before any other module of ours or of a library (`node --import`).
 *
 * sharp is the only addon. It is loaded here, and no addon after it: native code is not subject to
 * Node's permission model.
 */
import { restrictBuiltins } from '../restrict-builtins.ts';
import { loadSharp } from './load-sharp.ts';

await loadSharp();
restrictBuiltins();
