import { execFileSync } from 'node:child_process';
import {
  listMissingPrograms,
  listOptionalTestFiles,
  SELECTED,
  SEPARATE_TEST_FILES,
} from './optional-programs.ts';

/**
 * Runs the test files that need programs which npm does not install: those that are named as arguments, or all except the ones with a
 * script of their own. With `--install`, installs the missing programs first, as root on Debian.
 *
 * Exits with an error if a program is missing, so that no test is skipped.
 */
const INSTALL = '--install';
const named = process.argv.slice(2).filter((argument) => argument !== INSTALL);
const testFiles =
  named.length > 0
    ? named
    : listOptionalTestFiles().filter((file) => !Object.hasOwn(SEPARATE_TEST_FILES, file));
if (process.argv.includes(INSTALL)) install();
const missing = listMissingPrograms(testFiles).map(([name]) => name);
if (missing.length > 0) {
  console.error(`Not installed: ${missing.join(', ')}. Run with --install as root on Debian.`);
  process.exit(1);
}
run(process.execPath, ['--test', '--test-concurrency=1', '--test-timeout=1800000', ...testFiles]);
if (named.length === 0)
  for (const [file, script] of Object.entries(SEPARATE_TEST_FILES))
    console.log(`Not tested: ${file}. Run: npm run ${script}`);

function install(): void {
  const packages = listMissingPrograms(testFiles).flatMap(
    ([, { debianPackages }]) => debianPackages,
  );
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
