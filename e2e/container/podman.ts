import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
  readonly #options: readonly string[];

  constructor() {
    const place = (name: string) => {
      mkdirSync(join(this.folder, name));
      return join(this.folder, name);
    };
    this.#options = [
      ...['--root', place('storage'), '--runroot', place('run'), '--tmpdir', place('tmp')],
      ...['--runtime', 'runc', '--cgroup-manager', 'cgroupfs'],
    ];
    // The test runner ends a test file that takes too long.
    process.once('SIGTERM', this.#onSigterm);
  }

  /** Runs a Podman command. @throws if it fails */
  async run(...args: string[]): Promise<string> {
    const { exitCode, output } = await this.tryRun(...args);
    if (exitCode !== 0) throw new Error(`podman ${args.join(' ')}: ${exitCode}\n${output}`);
    return output;
  }

  /** Runs a Podman command. */
  async tryRun(...args: string[]): Promise<CommandResult> {
    return runCommand('podman', [...this.#options, ...args]);
  }

  /** Builds an image. Its build steps use the network of the machine. */
  build(...args: string[]): Promise<string> {
    return this.run('build', '--quiet', '--network', 'host', ...LIMITS, ...args);
  }

  /** Starts a container; see `podman run`. */
  start(...args: string[]): Promise<string> {
    return this.run('run', '--network', 'host', ...LIMITS, ...args);
  }

  /** Like `start`, for a container that may fail. */
  tryStart(...args: string[]): Promise<CommandResult> {
    return this.tryRun('run', '--network', 'host', ...LIMITS, ...args);
  }

  /** Ends all containers and removes everything. */
  [Symbol.dispose](): void {
    process.off('SIGTERM', this.#onSigterm);
    const stdio = 'ignore';
    try {
      execFileSync('podman', [...this.#options, 'rm', '--all', '--force', '--volumes'], { stdio });
      execFileSync('umount', [join(this.folder, 'storage/overlay')], { stdio });
    } catch {
      // Depending on the storage driver, nothing is mounted.
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  readonly #onSigterm = () => {
    this[Symbol.dispose]();
    process.exit(1);
  };
}

/** Runs a command and returns standard output and standard error together. */
export async function runCommand(
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<CommandResult> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [exitCode] = await once(child, 'close');
  return { exitCode, output };
}
