import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stopProcess } from '../../scripts/service-process.ts';
import { waitUntil } from '../../scripts/wait-until.ts';
import { type CommandResult, readResult } from './podman.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Debian 12 has no Compose 2. */
const SUITE = 'trixie';
const PACKAGES = 'docker.io,docker-cli,docker-compose,iptables,mount';

/** In the root file system, outside of the folders that only the host sees. */
const SOCKET = 'unix:///var/docker.sock';
/** The folder with compose.yaml in the root file system. */
const PROJECT = '/cloche';

/**
 * Runs as the first process of the host. `$1` is its root file system. `chroot` would not do: Linux refuses user namespaces,
 * which bubblewrap needs, to processes whose root is not that of their mount namespace.
 */
const START_HOST = `set -e
ip link set lo up
mount --make-rprivate /
mount --bind "$1" "$1"
mount -t proc proc "$1/proc"
mount --rbind /sys "$1/sys"
mount --rbind /dev "$1/dev"
mount -t tmpfs tmpfs "$1/run"
cd "$1"
mkdir outside
pivot_root . outside
umount --lazy /outside
exec dockerd --host ${SOCKET}
`;

/**
 * Docker with Compose from Debian's packages: a root file system, processes and a network of its own. The network is not
 * connected to any other, so that its addresses and ports are free. When the process ends, all containers end.
 */
export class DockerHost {
  readonly #root: string;
  readonly #process: ChildProcess;
  #log = '';

  private constructor(root: string, child: ChildProcess) {
    this.#root = root;
    this.#process = child;
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#log = (this.#log + text).slice(-10_000);
      });
  }

  /** Starts Docker in a folder that does not exist, with compose.yaml and the files that it uses. */
  static async start(folder: string): Promise<DockerHost> {
    const include = ['--variant=apt', '--quiet', `--include=${PACKAGES}`];
    const created = await runCommand('unshare', [
      ...['--mount', '--pid', '--fork', '--kill-child', 'mmdebstrap', ...include, SUITE, folder],
    ]);
    if (created.exitCode !== 0) throw new Error(created.output);
    await mkdir(join(folder, PROJECT));
    for (const name of ['compose.yaml', 'deploy'])
      await cp(join(ROOT, name), join(folder, PROJECT, name), { recursive: true });
    const isolate = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', START_HOST];
    // The outer process stays in the network, so that its id names it.
    const child = spawn('unshare', ['--net', 'unshare', ...isolate, 'sh', folder], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const host = new DockerHost(folder, child);
    const isReady = async () => {
      if (child.exitCode !== null) throw new Error(`Docker did not start: ${host.#log}`);
      return (await host.tryRun(['version'])).exitCode === 0;
    };
    await waitUntil(() => `Docker to start: ${host.#log}`, isReady, { timeoutMs: 120_000 });
    return host;
  }

  /** Adds the images of an archive of `podman save`. */
  async load(archive: string): Promise<void> {
    const input = await open(archive);
    try {
      const { exitCode, output } = await this.tryRun(['load', '--quiet'], { input: input.fd });
      if (exitCode !== 0) throw new Error(output);
    } finally {
      await input.close();
    }
  }

  /** Runs `docker compose` with the variables. @throws if it fails */
  async compose(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
    const { exitCode, output } = await this.tryRun(['compose', ...args], { env });
    if (exitCode !== 0) throw new Error(`docker compose ${args.join(' ')}: ${exitCode}\n${output}`);
    return output;
  }

  /** Runs a Docker command. */
  tryRun(
    args: readonly string[],
    { env = {}, input }: { env?: Record<string, string>; input?: number } = {},
  ): Promise<CommandResult> {
    const settings = { ...env, HOME: '/root', DOCKER_HOST: SOCKET };
    const variables = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
    const command = ['env', `--chdir=${PROJECT}`, ...variables, 'docker', ...args];
    return runCommand('chroot', [this.#root, ...command], input);
  }

  /** The arguments of `nsenter` for a program that uses the network of the host. */
  get networkArguments(): string[] {
    return [`--net=/proc/${this.#process.pid}/ns/net`];
  }

  /** Ends all containers, and removes everything. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { output } = await this.tryRun(['ps', '--all', '--quiet']);
    const containers = output.split('\n').filter(Boolean);
    // Otherwise, their control groups would stay.
    if (containers.length > 0) await this.tryRun(['rm', '--force', ...containers]);
    await stopProcess(this.#process, 'SIGKILL');
    await rm(this.#root, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  }
}

async function runCommand(
  program: string,
  args: readonly string[],
  input: number | 'ignore' = 'ignore',
): Promise<CommandResult> {
  const child = spawn(program, args, { stdio: [input, 'pipe', 'pipe'] });
  await once(child, 'spawn');
  // With pipes for both, as the options say.
  return readResult(child as Parameters<typeof readResult>[0]);
}
