import {
  CALL_TIMEOUT_MS,
  type HostMessage,
  MAX_PENDING_CALLS,
  type ViewerMessage,
  type ViewerMethods,
} from '@cloche/contract/message';
import { ViewerProblem } from '@cloche/contract/viewer-problem';
import type { Viewer } from '../viewer.ts';
import { checkArguments } from './argument-checks.ts';
import { describeError } from './describe-error.ts';
import { type HostMethod, hostMethods } from './host-methods.ts';
import { waitUntilShown } from './wait-until-shown.ts';

type Call = Extract<HostMessage, { type: 'call' }>;
type Answer = Extract<ViewerMessage, { type: 'result' | 'error' }>;
type MethodName = keyof ViewerMethods;

/** The part of the facade that host pages reach: each method of the protocol, with its arguments and result. */
export type CallableViewer = Pick<Viewer, 'state' | 'error' | 'on'> & {
  [Name in MethodName]: (
    ...args: Parameters<ViewerMethods[Name]>
  ) => ReturnType<ViewerMethods[Name]> | Promise<ReturnType<ViewerMethods[Name]>>;
};

/** Carries out the calls of a host page, with checked arguments. Each is answered once, within a time limit. */
export class CallDispatcher implements Disposable {
  readonly #viewer: CallableViewer;
  readonly #send: (answer: Answer) => void;
  readonly #pending = new Set<AbortController>();

  constructor(viewer: CallableViewer, send: (answer: Answer) => void) {
    this.#viewer = viewer;
    this.#send = send;
  }

  /** A call without an id cannot be answered, so it is ignored. */
  dispatch(call: Readonly<Record<keyof Call, unknown>>): void {
    const { id } = call;
    if (!Number.isSafeInteger(id)) return;
    this.#answer(id as number, async (signal) => {
      // This call is pending, too.
      if (this.#pending.size > MAX_PENDING_CALLS) throw new ViewerProblem('viewer.too-many-calls');
      const { name, args } = parseCall(call);
      await waitUntilShown(this.#viewer, hostMethods[name].requires, signal);
      const method = this.#viewer[name] as (...args: unknown[]) => unknown;
      return method.apply(this.#viewer, args);
    });
  }

  /** Calls that wait are not carried out, and no call is answered any more. */
  [Symbol.dispose](): void {
    for (const controller of this.#pending) controller.abort();
    this.#pending.clear();
  }

  #answer(id: number, carryOut: (signal: AbortSignal) => Promise<unknown>): void {
    const controller = new AbortController();
    const { signal } = controller;
    this.#pending.add(controller);
    const answer = (message: Answer) => {
      if (signal.aborted) return;
      this.#send(message);
      controller.abort();
      this.#pending.delete(controller);
    };
    const fail = (error: unknown) => answer({ type: 'error', id, ...describeError(error) });
    const timer = setTimeout(fail, CALL_TIMEOUT_MS, new ViewerProblem('viewer.timeout'));
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
    carryOut(signal)
      .then((value) => answer({ type: 'result', id, ...(value !== undefined && { value }) }))
      .catch(fail);
  }
}

/** @throws {ViewerProblem} viewer.unknown-method, viewer.invalid-argument */
function parseCall({ method: name, args }: Readonly<Record<keyof Call, unknown>>) {
  if (!isMethodName(name)) {
    const quoted = typeof name === 'string' ? ` '${name.slice(0, 100)}'` : '';
    throw new ViewerProblem('viewer.unknown-method', `There is no method${quoted}.`);
  }
  const { parameters }: HostMethod = hostMethods[name];
  if (!Array.isArray(args)) {
    throw new ViewerProblem('viewer.invalid-argument', 'The arguments must be an array.');
  }
  const wrong = checkArguments(args, parameters);
  if (wrong !== undefined) throw new ViewerProblem('viewer.invalid-argument', `${name}: ${wrong}`);
  return { name, args: args as unknown[] };
}

/** Names such as `constructor` are not methods. */
function isMethodName(name: unknown): name is MethodName {
  return typeof name === 'string' && Object.hasOwn(hostMethods, name);
}
