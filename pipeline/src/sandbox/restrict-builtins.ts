/*
 * Node's permission model restricts files, processes, threads and the inspector. It does not restrict
 * the network, signals, V8's flags or addons. This file refuses what is left to the JavaScript of a
 * process, or of a thread, that handles untrusted files.
 *
 * It also applies to an attacker who runs code here, and who may have replaced any method of any
 * prototype. So everything that runs after restrictBuiltins() uses only operators and the functions
 * that are bound below. Bytes that exploit V8 or an addon are not restricted by it.
 */
import fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import { registerHooks, syncBuiltinESMExports } from 'node:module';

type Members = Record<PropertyKey, unknown>;

/** The built-in modules that our code and its libraries import. All others are refused. */
const ALLOWED_MODULES = [
  ...[
    'assert',
    'buffer',
    'child_process',
    'crypto',
    'events',
    'fs',
    'fs/promises',
    'module',
    'net',
  ],
  ...['os', 'path', 'perf_hooks', 'process', 'stream', 'stream/promises', 'string_decoder'],
  ...['timers', 'timers/promises', 'url', 'util', 'zlib'],
];

/** The only members that are kept of these modules. */
const KEPT_MEMBERS: Record<string, readonly string[]> = {
  // Imported by sharp, which does not need it.
  child_process: [],
  // Standard output and the pipe from the parent process are sockets; Node's `http` extends both.
  net: ['Server', 'Socket'],
};

const REFUSED_MEMBERS: Record<string, readonly string[]> = {
  crypto: ['setEngine'],
  module: ['enableCompileCache', 'flushCompileCache', 'register', 'registerHooks'],
  os: ['setPriority'],
  process: [
    ...['binding', '_linkedBinding', 'dlopen', 'execve', 'chdir', 'umask', 'loadEnvFile'],
    ...['kill', '_kill', '_debugProcess', '_debugEnd', '_getActiveHandles', '_getActiveRequests'],
    ...['setuid', 'seteuid', 'setgid', 'setegid', 'setgroups', 'initgroups', 'openStdin'],
  ],
};

const REFUSED_METHODS: readonly [module: string, className: string, methods: string[]][] = [
  ['child_process', 'ChildProcess', ['spawn', 'kill']],
  ['net', 'Server', ['listen', '_listen2']],
  ['net', 'Socket', ['connect']],
];

/** They connect to the network. */
const REMOVED_GLOBALS = ['fetch', 'WebSocket', 'EventSource'];

const startsWith = Function.prototype.call.bind(String.prototype.startsWith);
const slice = Function.prototype.call.bind(String.prototype.slice);

/** Refuses the dangerous built-in modules and functions from now on. Call it once, before any import. */
export function restrictBuiltins(): void {
  const { getBuiltinModule } = process;
  const getMembers = (id: string) => getBuiltinModule(id) as unknown as Members;

  for (const [id, className, methods] of REFUSED_METHODS) {
    const { prototype } = getMembers(id)[className] as { prototype: Members };
    for (const method of methods) refuseMember(prototype, method, `${className}.${method}`);
  }
  for (const [id, kept] of Object.entries(KEPT_MEMBERS)) {
    for (const name of Object.keys(getMembers(id))) {
      if (!kept.includes(name)) refuseMember(getMembers(id), name, `${id}.${name}`);
    }
  }
  for (const [id, names] of Object.entries(REFUSED_MEMBERS)) {
    for (const name of names) refuseMember(getMembers(id), name, `${id}.${name}`);
  }
  for (const name of REMOVED_GLOBALS) setConstant(globalThis, name, undefined);
  // Its setters make Node write a file with the environment when the process crashes.
  setConstant(process, 'report', undefined);
  refuseOtherModules(getBuiltinModule);
  // `import { kill } from 'node:process'` has copies of the members.
  syncBuiltinESMExports();
}

/**
 * Also refuses all access to files from now on, except opening one for reading with `open` of
 * `node:fs/promises`: for a thread, to which Node's permission model does not apply. Nothing can be
 * imported after it.
 */
export function refuseFileWrites(): void {
  const { open, ...refused } = fsPromises;
  setConstant(fsPromises, 'open', async (path: string, flags: unknown) => {
    if (flags !== 'r') throw accessDeniedError('Opening a file for writing');
    return open(path, 'r');
  });
  for (const [label, members, names] of [
    ['fs', fs as unknown as Members, Object.keys(fs)],
    ['fs/promises', fsPromises as unknown as Members, Object.keys(refused)],
  ] as const) {
    for (const name of names) {
      if (typeof members[name] === 'function') refuseMember(members, name, `${label}.${name}`);
    }
  }
  syncBuiltinESMExports();
}

function refuseOtherModules(getBuiltinModule: typeof process.getBuiltinModule): void {
  const allowed: Record<string, true> = Object.create(null);
  for (const id of ALLOWED_MODULES) allowed[id] = true;
  const assertAllowed = (id: string) => {
    const name = startsWith(id, 'node:') ? slice(id, 5) : id;
    if (allowed[name] !== true) throw accessDeniedError(`The built-in module ${name}`);
  };
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context);
      if (startsWith(resolved.url, 'node:')) assertAllowed(resolved.url);
      return resolved;
    },
  });
  setConstant(process, 'getBuiltinModule', (id: string) => {
    assertAllowed(id);
    return getBuiltinModule(id);
  });
}

function refuseMember(members: Members, name: string, label: string): void {
  if (!(name in members)) return;
  setConstant(members, name, () => {
    throw accessDeniedError(label);
  });
}

function setConstant(members: object, name: string, value: unknown): void {
  Object.defineProperty(members, name, { value, writable: false, configurable: false });
}

/** An error with the same code as that of Node's permission model. */
function accessDeniedError(what: string): Error {
  const error = new Error(`${what} is not available in this process.`) as Error & { code: string };
  error.code = 'ERR_ACCESS_DENIED';
  return error;
}
