import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findProgram, skipWithout } from '../../../scripts/optional-programs.ts';
import { skipWithoutStrict } from '../../testing/skip-without-strict.ts';
import { openTemporaryDirectory } from '../../testing/temporary-directory.ts';
import { createSeccompFilter, REFUSED_CALLS, UNAVAILABLE_CALLS } from './seccomp-filter.ts';

const [EPERM, ENOSYS] = [1, 38];

/** Makes system calls with invalid arguments and prints their errors as JSON: a number per call, 0 for success. */
const SCRIPT = `
import ctypes, json, os, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
def call(number):
    ctypes.set_errno(0)
    libc.syscall(number, -1, -1, -1, -1, -1, -1)
    return ctypes.get_errno()
def attempt(operation):
    try:
        operation()
        return 0
    except OSError as error:
        return error.errno
started = []
thread = threading.Thread(target=lambda: started.append(True))
thread.start()
thread.join()
print(json.dumps({
    'errors': {name: call(number) for name, number in json.loads(sys.argv[1]).items()},
    'socket': attempt(lambda: __import__('socket').socket()),
    'fork': attempt(lambda: os.fork() or os._exit(0)),
    'thread': 0 if started else 1,
    'file': attempt(lambda: open('/etc/hostname').close()),
}))`;

type Result = {
  errors: Record<string, number>;
  socket: number;
  fork: number;
  thread: number;
  file: number;
};

describe('the seccomp filter', {
  skip: skipWithout('python3') || (await skipWithoutStrict()),
}, () => {
  const index = process.arch === 'x64' ? 0 : 1;
  const numbersOf = (calls: typeof REFUSED_CALLS, only?: string) =>
    Object.fromEntries(
      Object.entries(calls).flatMap(([name, numbers]) => {
        const number = numbers[index];
        return number === undefined || (only && name !== only) ? [] : [[name, number]];
      }),
    );

  it('refuses the system calls of its lists, and processes, but not threads and files', async (t) => {
    const filterFile = join(await openTemporaryDirectory(t), 'filter');
    await writeFile(filterFile, createSeccompFilter('worker') as Buffer);
    const filter = openSync(filterFile, 'r');
    t.after(() => closeSync(filter));
    const refused = numbersOf(REFUSED_CALLS);
    const unavailable = numbersOf(UNAVAILABLE_CALLS);
    const { errors, ...results } = run(['--seccomp', '3'], { ...refused, ...unavailable }, filter);
    const expected = { ...fill(refused, EPERM), ...fill(unavailable, ENOSYS) };
    assert.deepEqual(errors, expected);
    assert.deepEqual(results, { socket: EPERM, fork: EPERM, thread: 0, file: 0 });
  });

  it('is what refuses them: without it, a process can open sockets and start others', () => {
    const { errors, ...results } = run([], numbersOf(REFUSED_CALLS, 'memfd_create'));
    assert.notEqual(errors.memfd_create, EPERM);
    assert.deepEqual(results, { socket: 0, fork: 0, thread: 0, file: 0 });
  });

  it('refuses calls by the x32 ABI, and every call of another architecture', (t) => {
    if (process.arch !== 'x64') return t.skip('x32 is an ABI of x64');
    const program = createSeccompFilter('worker', 'x64') as Buffer;
    assert.equal(
      evaluate(program, { arch: 0xc000003e, call: 0x40000000 + 41 }),
      0x00050000 | EPERM,
    );
    assert.equal(evaluate(program, { arch: 0x40000003, call: 4 }), 0x80000000);
    assert.equal(evaluate(program, { arch: 0xc000003e, call: 0 }), 0x7fff0000);
    assert.equal(createSeccompFilter('worker', 'riscv64'), undefined);
  });

  it('compiles for arm64', () => {
    const program = createSeccompFilter('worker', 'arm64') as Buffer;
    const arch = 0xc00000b7;
    for (const [name, [, call]] of Object.entries(REFUSED_CALLS)) {
      if (call === undefined) continue;
      assert.equal(evaluate(program, { arch, call }), 0x00050000 | EPERM, name);
    }
    const clone = 220;
    assert.equal(evaluate(program, { arch, call: clone, argument: 0x11 }), 0x00050000 | EPERM);
    assert.equal(evaluate(program, { arch, call: clone, argument: 0x3d0f00 }), 0x7fff0000);
    assert.equal(evaluate(program, { arch: 0xc000003e, call: 0 }), 0x80000000);
  });
});

function fill(calls: Record<string, number>, error: number): Record<string, number> {
  return Object.fromEntries(Object.keys(calls).map((name) => [name, error]));
}

/** @param filter a file descriptor, which the process has as number 3 */
function run(flags: string[], calls: Record<string, number>, filter?: number): Result {
  const python = findPythonBinary();
  const { stdout, stderr } = spawnSync(
    findProgram('bwrap') as string,
    ['--ro-bind', '/', '/', '--unshare-pid', ...flags, python, '-c', SCRIPT, JSON.stringify(calls)],
    { stdio: ['ignore', 'pipe', 'pipe', filter ?? 'ignore'], encoding: 'utf8' },
  );
  assert.ok(stdout, stderr);
  // A forked process prints nothing.
  return JSON.parse(stdout);
}

/** The program itself: `python3` may be a shell script, which starts processes. */
function findPythonBinary(): string {
  const script = 'import sys; print(sys.executable)';
  const { stdout } = spawnSync(findProgram('python3') as string, ['-c', script]);
  return stdout.toString().trim();
}

type CallData = { arch: number; call: number; argument?: number };

/** Runs the program as the kernel does: seccomp(2). */
function evaluate(program: Buffer, { arch, call, argument = 0 }: CallData): number {
  const fields: Record<number, number> = { 0: call, 4: arch, 16: argument };
  let accumulator = 0;
  for (let index = 0; index < program.length / 8; index++) {
    const offset = index * 8;
    const value = program.readUInt32LE(offset + 4);
    const jump = (condition: boolean) => {
      index += program.readUInt8(offset + (condition ? 2 : 3));
    };
    switch (program.readUInt16LE(offset)) {
      case 0x20:
        accumulator = fields[value] as number;
        break;
      case 0x15:
        jump(accumulator === value);
        break;
      case 0x35:
        jump(accumulator >= value);
        break;
      case 0x45:
        jump((accumulator & value) !== 0);
        break;
      case 0x06:
        return value;
      default:
        assert.fail('an unknown instruction');
    }
  }
  return assert.fail('the program has no end');
}
