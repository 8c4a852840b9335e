import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { findFreePort } from '../scripts/find-free-port.ts';
import {
  SERVICE_ARGUMENTS,
  SHARED_ENVIRONMENT,
  stopProcess,
  waitUntilReady,
} from '../scripts/service-process.ts';

type ServiceProcessOptions = {
  /** Arguments of Node. Default: those of `npm start`. */
  nodeArguments?: readonly string[];
  /** How many files and connections the process may have open. */
  openFiles?: number;
};

/** The service as `npm start` runs it, in a process that can be killed and started again. */
export class ServiceProcess {
  readonly folder: string;
  readonly origin: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #options: ServiceProcessOptions;
  #child: ChildProcess | undefined;
  /** Standard output and standard error so far. */
  output = '';

  private constructor(
    folder: string,
    port: number,
    environment: NodeJS.ProcessEnv,
    options: ServiceProcessOptions,
  ) {
    this.folder = folder;
    this.#options = options;
    this.origin = `http://localhost:${port}`;
    this.#environment = {
      ...SHARED_ENVIRONMENT,
      CLOCHE_PORT: String(port),
      CLOCHE_DATA: join(folder, 'data'),
      CLOCHE_BOOTSTRAP_TOKEN_FILE: join(folder, 'bootstrap-token'),
      // Posters have tests of their own.
      CLOCHE_CHROMIUM: 'none',
      ...environment,
    };
  }

  /** Starts the service in a temporary folder; both are removed after the test. */
  static async open(
    t: TestContext,
    environment: NodeJS.ProcessEnv = {},
    options: ServiceProcessOptions = {},
  ): Promise<ServiceProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'cloche-e2e-'));
    const service = new ServiceProcess(folder, await findFreePort(), environment, options);
    t.after(async () => {
      await service.kill();
      // Workers end a moment after the service.
      await rm(folder, { recursive: true, force: true, maxRetries: 20 });
    });
    await service.start();
    return service;
  }

  /** Starts the service, with additional environment variables. */
  async start(environment: NodeJS.ProcessEnv = {}): Promise<void> {
    const { nodeArguments = SERVICE_ARGUMENTS, openFiles } = this.#options;
    const command = [process.execPath, ...nodeArguments];
    const [program = '', ...args] =
      openFiles === undefined
        ? command
        : ['sh', '-c', `ulimit -n ${openFiles}; exec "$0" "$@"`, ...command];
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...this.#environment, ...environment },
    });
    const addOutput = (chunk: Buffer) => {
      this.output += chunk.toString();
    };
    child.stdout.on('data', addOutput);
    child.stderr.on('data', addOutput);
    this.#child = child;
    await waitUntilReady(this.origin, child, () => this.output);
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Sends a signal and waits for the exit; returns the exit code. */
  async stop(signal: NodeJS.Signals): Promise<number | null> {
    return this.#child === undefined ? null : stopProcess(this.#child, signal);
  }

  /** Kills the process, which cannot clean up. */
  async kill(): Promise<void> {
    await this.stop('SIGKILL');
  }

  /** The token string of the bootstrap token, which has all capabilities. */
  async readBootstrapToken(): Promise<string> {
    return (await readFile(join(this.folder, 'bootstrap-token'), 'utf8')).trim();
  }

  /** The folder of the database and the blobs. */
  get dataDirectory(): string {
    return this.#environment.CLOCHE_DATA ?? '';
  }
}
