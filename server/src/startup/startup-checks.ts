import { once } from 'node:events';
import { link, mkdir, open, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { type Config, ConfigError } from '../config.ts';

/** @throws {ConfigError} */
export async function ensureDataDirectory(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `CLOCHE_DATA names "${folder}", where no folder can be made (${code}). Name a folder that can be written to, or one that can be made.`,
    );
  }
}

/** @throws {ConfigError} somebody else has the port, or the machine has no such address */
export async function assertPortAvailable({
  host,
  port,
}: Pick<Config, 'host' | 'port'>): Promise<void> {
  const server = createServer();
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      LISTEN_ERROR_MESSAGES[code]?.(host, port) ?? `Port ${port} of ${host}: ${code}.`,
    );
  } finally {
    server.close();
  }
}

const LISTEN_ERROR_MESSAGES: Record<string, (host: string, port: number) => string> = {
  EADDRINUSE: (host, port) =>
    `CLOCHE_PORT is ${port}, and something else listens there (on ${host}). Stop it, or set another port.`,
  EACCES: (_host, port) =>
    `CLOCHE_PORT is ${port}, which this user may not listen on. Ports from 1024 are free to all; a proxy can stand before them.`,
  EADDRNOTAVAIL: (host) =>
    `CLOCHE_HOST is "${host}", which is no address of this machine. 127.0.0.1 is for this machine alone, 0.0.0.0 for all its networks.`,
  ENOTFOUND: (host) =>
    `CLOCHE_HOST is "${host}", a name that leads nowhere. Give an address of this machine.`,
};

/** Gives the first token to the operator: into the file they named, or on the screen. */
export async function deliverToken(token: string, file: string | undefined): Promise<void> {
  if (file === undefined) {
    process.stdout.write(`first token: ${token}\n`);
    process.stdout.write('It can read, write and embed, and is not shown again. Keep it secret.\n');
    return;
  }
  const draft = `${file}.part`;
  try {
    {
      await using handle = await open(draft, 'w', 0o600);
      await handle.chmod(0o600);
      await handle.writeFile(`${token}\n`);
      await handle.sync();
    }
    // Unlike a rename, this does not take the place of what is there.
    await link(draft, file);
    // Else a power cut could take the file back, and leave the token that nobody has.
    await using folder = await open(dirname(file));
    await folder.sync();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === 'EEXIST'
        ? 'exists. Name a file that does not, or remove it if nobody needs what it holds'
        : `cannot be written (${code})`;
    throw new ConfigError(`CLOCHE_FIRST_TOKEN_FILE names "${file}", which ${why}.`);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Says where the service can be found. */
export function printStartupMessage({ publicUrl, host, port }: Config): void {
  process.stdout.write(
    `Cloche answers at ${publicUrl} (listening on ${host}:${port}). Docs: ${publicUrl}/docs\n`,
  );
}
