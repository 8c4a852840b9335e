import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Config, ConfigError } from './config.ts';

/** Gives the first token to the operator: into the file they named, or on the screen. */
export async function handOver(token: string, file: string | undefined): Promise<void> {
  if (file === undefined) {
    process.stdout.write(`first token: ${token}\n`);
    process.stdout.write('It can read, write and embed, and is not shown again. Keep it secret.\n');
    return;
  }
  try {
    const draft = `${file}.part`;
    {
      await using handle = await open(draft, 'w', 0o600);
      await handle.chmod(0o600);
      await handle.writeFile(`${token}\n`);
      await handle.sync();
    }
    await rename(draft, file);
    // Else a power cut could take the file back, and leave the token that nobody has.
    await using folder = await open(dirname(file));
    await folder.sync();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `CLOCHE_FIRST_TOKEN_FILE names "${file}", which cannot be written (${code}).`,
    );
  }
}

/** Says where the service can be found. */
export function announce({ publicUrl, host, port }: Config): void {
  process.stdout.write(
    `Cloche answers at ${publicUrl} (listening on ${host}:${port}). Docs: ${publicUrl}/docs\n`,
  );
}
