import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import {
  AFTER_NPM_TEST,
  listMissingPrograms,
  listOptionalTestFiles,
  listSkippedTestFiles,
  SELECTED,
  SEPARATE_TEST_FILES,
} from './optional-programs.ts';

/**
 * Runs the test files that need programs which npm does not install: those that are named as arguments, or all except the ones with a
 * script of their own. With `--install`, installs the missing programs first, as root on Debian. With `--after-npm-test`, leaves out the
 * files of which `npm test` has run all tests, because their programs were installed before; the controls of the gate tests, which
 * `npm test` runs in Chromium; and through PgBouncer, most tests that `npm test` runs with PostgreSQL.
 *
 * Exits with an error if a program is missing, so that no test is skipped.
 */
const { values, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { install: { type: 'boolean' }, 'after-npm-test': { type: 'boolean' } },
});
const optional = values['after-npm-test'] ? listSkippedTestFiles() : listOptionalTestFiles();
const testFiles =
  named.length > 0 ? named : optional.filter((file) => !Object.hasOwn(SEPARATE_TEST_FILES, file));
if (values.install) install();
const missing = listMissingPrograms(testFiles).map(([name]) => name);
if (missing.length > 0) {
  console.error(`Not installed: ${missing.join(', ')}. Run with --install as root on Debian.`);
  process.exit(1);
}
run(process.execPath, ['--test', '--test-concurrency=2', '--test-timeout=1800000', ...testFiles]);
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
  const afterNpmTest = values['after-npm-test'] ? { [AFTER_NPM_TEST]: '1' } : {};
  execFileSync(command, commandArguments, {
    stdio: 'inherit',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', [SELECTED]: '1', ...afterNpmTest },
  });
}
