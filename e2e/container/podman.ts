import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** What a command printed, and its exit code. */
export type CommandResult = { exitCode: number | null; output: string };

/** The highest limits may not be raised on every machine; these are below what machines have. */
const LIMITS = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096'];

/**
 * Podman with images, containers and volumes of its own, in a temporary folder. Containers use the network of the
 * machine: a network of their own needs firewall rules, which not every machine permits.
 */
export class Podman {
  readonly folder = mkdtempSync(join(tmpdir(), 'cloche-podman-'));
  readonly #storage: readonly string[];
  readonly #options: readonly string[];
  readonly #commands = new Set<ChildProcess>();

  constructor() {
    const place = (name: string) => {
      mkdirSync(join(this.folder, name));
      return join(this.folder, name);
    };
    this.#storage = ['--root', place('storage'), '--runroot', place('run')];
    this.#options = [
      ...this.#storage,
      ...['--tmpdir', place('tmp'), '--runtime', 'runc', '--cgroup-manager', 'cgroupfs'],
    ];
    // The test runner ends a test file that takes too long.
    process.once('SIGTERM', this.#onSigterm);
  }

  /** Runs a Podman command. @throws if it fails */
  run(...args: string[]): Promise<string> {
    return this.#runOrThrow('podman', [...this.#options, ...args]);
  }

  /** Runs a Podman command. */
  tryRun(...args: string[]): Promise<CommandResult> {
    return this.runProgram('podman', [...this.#options, ...args]);
  }

  /** Runs a program, which ends when the test ends. Its temporary files are in the folder. */
  async runProgram(program: string, args: readonly string[]): Promise<CommandResult> {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, TMPDIR: this.folder },
    });
    this.#commands.add(child);
    try {
      return await readResult(child);
    } finally {
      this.#commands.delete(child);
    }
  }

  /** Builds an image with Buildah, which has the same storage as Podman. Its build steps use the network of the machine. */
  build(...args: string[]): Promise<string> {
    const options = ['--isolation', 'chroot', '--layers', '--quiet', '--network', 'host'];
    return this.#runOrThrow('buildah', [...this.#storage, 'build', ...options, ...LIMITS, ...args]);
  }

  /** Starts a container; see `podman run`. */
  start(...args: string[]): Promise<string> {
    return this.run('run', '--network', 'host', ...LIMITS, ...args);
  }

  /** Like `start`, for a container that may fail. */
  tryStart(...args: string[]): Promise<CommandResult> {
    return this.tryRun('run', '--network', 'host', ...LIMITS, ...args);
  }

  /** Ends all commands and containers, and removes everything. */
  async [Symbol.asyncDispose](): Promise<void> {
    process.off('SIGTERM', this.#onSigterm);
    for (const child of this.#commands) {
      // Podman and Buildah end what they have started. `unshare` ignores this signal.
      child.kill(child.spawnfile === 'unshare' ? 'SIGKILL' : 'SIGTERM');
      await once(child, 'close');
    }
    const stdio = 'ignore';
    try {
      execFileSync('podman', [...this.#options, 'rm', '--all', '--force', '--volumes'], { stdio });
      execFileSync('umount', [join(this.folder, 'storage/overlay')], { stdio });
    } catch {
      // Depending on the storage driver, nothing is mounted.
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20 });
  }

  async #runOrThrow(program: string, args: readonly string[]): Promise<string> {
    const { exitCode, output } = await this.runProgram(program, args);
    if (exitCode !== 0) throw new Error(`${program} ${args.join(' ')}: ${exitCode}\n${output}`);
    return output;
  }

  readonly #onSigterm = async () => {
    await this[Symbol.asyncDispose]();
    process.exit(1);
  };
}

/** Returns what a process prints to standard output and standard error until it ends. */
export async function readResult(
  child: ChildProcess & { stdout: Readable; stderr: Readable },
): Promise<CommandResult> {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [exitCode] = await once(child, 'close');
  return { exitCode, output };
}
