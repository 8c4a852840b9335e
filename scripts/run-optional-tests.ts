import { execFileSync } from 'node:child_process';
import {
  listMissingPrograms,
  OPTIONAL_PROGRAMS,
  SELECTED,
  SELECTED_TEST_FILES,
} from './optional-programs.ts';

/**
 * Runs the test files that need programs which npm does not install. With `--install`, installs the
 * missing programs first, as root on Debian.
 *
 * Exits with an error if a program is missing, so that no test is skipped.
 */
if (process.argv.includes('--install')) install();
const missing = listMissingPrograms().map(([name]) => name);
if (missing.length > 0) {
  console.error(`Not installed: ${missing.join(', ')}. Run with --install as root on Debian.`);
  process.exit(1);
}
const testFiles = new Set([
  ...Object.values(OPTIONAL_PROGRAMS).flatMap(({ testFiles }) => testFiles),
  ...SELECTED_TEST_FILES,
]);
run(process.execPath, ['--test', '--test-concurrency=1', '--test-timeout=900000', ...testFiles]);

function install(): void {
  const packages = listMissingPrograms().flatMap(([, { debianPackages }]) => debianPackages);
  if (packages.length === 0) return;
  run('apt-get', ['update', '--quiet']);
  run('apt-get', ['install', '--quiet', '--yes', '--no-install-recommends', ...packages]);
}

function run(command: string, commandArguments: string[]): void {
  execFileSync(command, commandArguments, {
    stdio: 'inherit',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', [SELECTED]: '1' },
  });
}
