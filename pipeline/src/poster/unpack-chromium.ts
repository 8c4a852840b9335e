import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, lstat, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execFileAsync = promisify(execFile);
const UNPACK_TIMEOUT_MS = 120_000;

// The package unpacks to the file `chromium` in TMPDIR, and uses a file that is already there: another
// user may have written it, or another process may still be writing it. So TMPDIR is a new directory
// that only this user can write to, and that is renamed when the file is complete.
const UNPACK_SCRIPT =
  'const { default: chromium } = await import(process.argv[1]); await chromium.executablePath();';

/** Unpacks npm's Chromium, once per user of this machine, and returns the path of the executable. */
export async function unpackChromium(
  packageUrl: string,
  baseDirectory = tmpdir(),
): Promise<string> {
  const packageJson = await readFile(new URL('../package.json', packageUrl), 'utf8');
  const { version } = JSON.parse(packageJson);
  const directoryName = `cloche-chromium-${version}-${process.getuid?.() ?? 0}`;
  const directory = join(baseDirectory, directoryName);
  const executable = join(directory, 'chromium');
  if (await isUnpackedByUs(directory, executable)) {
    await makeReadable(directory);
    return executable;
  }

  const draft = await mkdtemp(join(baseDirectory, 'cloche-chromium-'));
  try {
    await execFileAsync(
      process.execPath,
      ['--input-type=module', '--eval', UNPACK_SCRIPT, packageUrl],
      { env: { TMPDIR: draft }, timeout: UNPACK_TIMEOUT_MS, killSignal: 'SIGKILL' },
    );
    await makeReadable(draft);
    // A cleanup of old temporary files may have removed only some of the files.
    if (!(await isUnpackedByUs(directory, executable)))
      await rm(directory, { recursive: true, force: true });
    await rename(draft, directory);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process may have unpacked it in the meantime.
    if (!(await isUnpackedByUs(directory, executable))) throw error;
  }
  return executable;
}

/** Lets other users read and run the browser: as root, the service runs it as another user. */
async function makeReadable(directory: string): Promise<void> {
  const { mode } = await lstat(directory);
  if ((mode & 0o055) === 0o055) return;
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  for (const entry of entries.filter((entry) => !entry.isSymbolicLink())) {
    const path = join(entry.parentPath, entry.name);
    const isExecutable = entry.isDirectory() || ((await lstat(path)).mode & 0o100) !== 0;
    await chmod(path, isExecutable ? 0o755 : 0o644);
  }
  // Last: it shows that the files are readable.
  await chmod(directory, 0o755);
}

/** @throws if another user may write to the directory and thus replace the executable */
async function isUnpackedByUs(directory: string, executable: string): Promise<boolean> {
  const stats = await findStats(directory);
  if (stats === undefined) return false;
  const isSafe = stats.isDirectory() && stats.uid === process.getuid?.() && !(stats.mode & 0o022);
  assert(isSafe, `${directory} belongs to another user, or others may write to it.`);
  return (await findStats(executable)) !== undefined;
}

function findStats(path: string) {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
}
