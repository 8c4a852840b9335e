import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import { runInProcess } from './run-cloche-server.ts';
import {
  createDatabaseIn,
  getDatabaseSettings,
  getDirectDatabaseSettings,
} from './test-database.ts';

type Directory = { dataDirectory: string };

/** Creates a data directory with an empty database of the kind that the tests use. */
export async function createEmptyInstallation(t: TestContext): Promise<Directory> {
  const dataDirectory = await openTemporaryDirectory(t);
  await createDatabaseIn(t, dataDirectory, async () => {});
  return { dataDirectory };
}

/** The commands that refuse a connection pooler. */
const COMMANDS_WITHOUT_POOLER = ['restore', 'move'];

function getSettings(installation: Directory, [command = '']: string[]): NodeJS.ProcessEnv {
  return COMMANDS_WITHOUT_POOLER.includes(command)
    ? getDirectDatabaseSettings(installation)
    : getDatabaseSettings(installation);
}

/** Runs a command on an installation, and asserts that it succeeds. Returns what it printed. */
export async function runOn(installation: Directory, ...args: string[]) {
  const result = await runInProcess(args, getSettings(installation, args));
  assert.equal(result.status, 0, result.stderr);
  return result;
}

/** Runs a command on an installation, and asserts that it fails. Returns its message. */
export async function runRefused(installation: Directory, ...args: string[]): Promise<string> {
  const result = await runInProcess(args, getSettings(installation, args));
  assert.equal(result.status, 1, `${result.stdout}${result.stderr}`);
  return result.stderr;
}

/** What `verify --json` prints. */
export async function verify(installation: Directory) {
  const result = await runInProcess(['verify', '--json'], getDatabaseSettings(installation));
  assert.ok(result.stdout.startsWith('{'), result.stderr);
  return { status: result.status, report: JSON.parse(result.stdout) };
}
