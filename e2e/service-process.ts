import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

const MAIN_PATH = join(import.meta.dirname, '../server/src/main.ts');
const START_TIMEOUT_MS = 30_000;

/** The service as `npm start` runs it, in a process that can be killed and started again. */
export class ServiceProcess {
  readonly folder: string;
  readonly origin: string;
  readonly #environment: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;
  /** What it wrote to standard output and standard error so far. */
  output = '';

  private constructor(folder: string, port: number, environment: NodeJS.ProcessEnv) {
    this.folder = folder;
    this.origin = `http://localhost:${port}`;
    this.#environment = {
      PATH: process.env.PATH,
      CLOCHE_PORT: String(port),
      CLOCHE_DATA: join(folder, 'data'),
      CLOCHE_BOOTSTRAP_TOKEN_FILE: join(folder, 'bootstrap-token'),
      // Pictures have a test of their own.
      CLOCHE_CHROMIUM: 'none',
      ...environment,
    };
  }

  /** Starts one in a folder of its own; ended and cleaned up with the test. */
  static async open(t: TestContext, environment: NodeJS.ProcessEnv = {}): Promise<ServiceProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'cloche-real-'));
    const service = new ServiceProcess(folder, await findFreePort(), environment);
    t.after(async () => {
      await service.kill();
      await rm(folder, { recursive: true, force: true });
    });
    await service.start();
    return service;
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [MAIN_PATH], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: this.#environment,
    });
    const hear = (chunk: Buffer) => {
      this.output += chunk.toString();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    this.#child = child;
    const deadline = Date.now() + START_TIMEOUT_MS;
    for (;;) {
      const answer = await fetch(`${this.origin}/readyz`).catch(() => undefined);
      if (answer?.ok) return;
      if (child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`The service did not start: ${this.output}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Ends the process with a signal, and waits until it is gone. Answers its exit code. */
  async stop(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return null;
    const gone = once(child, 'exit');
    child.kill(signal);
    const [code] = await gone;
    return code;
  }

  /** As a power cut would. */
  async kill(): Promise<void> {
    await this.stop('SIGKILL');
  }

  /** The bootstrap token: reads, writes, embeds. */
  async readBootstrapToken(): Promise<string> {
    return (await readFile(join(this.folder, 'bootstrap-token'), 'utf8')).trim();
  }

  /** Where it keeps everything. */
  get dataDirectory(): string {
    return this.#environment.CLOCHE_DATA ?? '';
  }

  /** Memory the process has in use, in bytes. */
  async getResidentBytes(): Promise<number> {
    const status = await readFile(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
