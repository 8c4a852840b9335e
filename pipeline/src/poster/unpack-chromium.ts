import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { lstat, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execFileAsync = promisify(execFile);
const UNPACK_TIMEOUT_MS = 120_000;

// The package unpacks into the temporary folder, as `chromium`, and takes what is there already for
// its own: what another user put there, or what another process has half written. So it unpacks into
// a folder that nobody else can write, and that gets its name when it is whole.
const UNPACK_SCRIPT =
  'const { default: chromium } = await import(process.argv[1]); await chromium.executablePath();';

/** Unpacks npm's Chromium, once for each user of this machine. Answers where it is. */
export async function unpackChromium(address: string, base = tmpdir()): Promise<string> {
  const { version } = JSON.parse(await readFile(new URL('../package.json', address), 'utf8'));
  const folder = join(base, `cloche-chromium-${version}-${process.getuid?.() ?? 0}`);
  const program = join(folder, 'chromium');
  if (await isUnpackedByUs(folder, program)) return program;

  const draft = await mkdtemp(join(base, 'cloche-chromium-'));
  try {
    await execFileAsync(
      process.execPath,
      ['--input-type=module', '--eval', UNPACK_SCRIPT, address],
      {
        env: { TMPDIR: draft },
        timeout: UNPACK_TIMEOUT_MS,
        killSignal: 'SIGKILL',
      },
    );
    // Left there by a sweep of old files, perhaps, that took half of it.
    if (!(await isUnpackedByUs(folder, program)))
      await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process may have been faster.
    if (!(await isUnpackedByUs(folder, program))) throw error;
  }
  return program;
}

/** @throws when the name is taken by somebody else: what is in there would be run as us */
async function isUnpackedByUs(folder: string, program: string): Promise<boolean> {
  const facts = await findStats(folder);
  if (facts === undefined) return false;
  const isSafe = facts.isDirectory() && facts.uid === process.getuid?.() && !(facts.mode & 0o022);
  assert(isSafe, `${folder} belongs to somebody else.`);
  return (await findStats(program)) !== undefined;
}

function findStats(path: string) {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
}
