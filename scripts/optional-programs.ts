import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that some tests need and that npm does not install. */
type OptionalProgram = {
  /** The Debian packages with the program and what it needs. */
  debianPackages: readonly string[];
  /** The test files that skip their tests when the program is missing. */
  testFiles: readonly string[];
};

/** The programs, by the name of their executable. `npm test` reports the tests that are skipped. */
export const OPTIONAL_PROGRAMS = {
  'firefox-esr': {
    debianPackages: ['firefox-esr'],
    testFiles: ['e2e/browsers.test.ts', 'e2e/gate/gate-firefox.browsers.ts'],
  },
  WebKitWebDriver: {
    debianPackages: ['webkit2gtk-driver'],
    testFiles: ['e2e/browsers.test.ts', 'e2e/gate/gate-webkit.browsers.ts'],
  },
  // Firefox has no WebGL without a display.
  Xvfb: {
    debianPackages: ['xvfb', 'libgl1-mesa-dri', 'libgl1', 'libegl1', 'libpci3'],
    testFiles: [
      'e2e/browsers.test.ts',
      'e2e/gate/gate-firefox.browsers.ts',
      'e2e/gate/gate-webkit.browsers.ts',
    ],
  },
  bwrap: {
    debianPackages: ['bubblewrap'],
    testFiles: [
      'pipeline/src/poster/launch-browser.test.ts',
      'pipeline/src/sandbox/bubblewrap.test.ts',
      'pipeline/src/sandbox/sandbox.test.ts',
      'pipeline/src/sandbox/seccomp-filter.test.ts',
      'pipeline/src/sandbox/worker-attacks.test.ts',
    ],
  },
  // The S3 server of Ceph, and the programs of the cluster that it stores objects in.
  radosgw: {
    debianPackages: ['radosgw', 'ceph-mon', 'ceph-osd', 'ceph-common'],
    testFiles: ['server/src/blobs/s3-blob-store.test.ts', 'e2e/s3.test.ts'],
  },
  podman: { debianPackages: ['podman', 'conmon'], testFiles: ['e2e/container.test.ts'] },
  runc: { debianPackages: ['runc'], testFiles: ['e2e/container.test.ts'] },
  mmdebstrap: { debianPackages: ['mmdebstrap'], testFiles: ['e2e/container.test.ts'] },
  curl: {
    debianPackages: ['curl'],
    testFiles: ['e2e/embed-examples.test.ts', 'e2e/start-guide.test.ts'],
  },
  python3: {
    debianPackages: ['python3'],
    testFiles: [
      'pipeline/src/sandbox/seccomp-filter.test.ts',
      'e2e/embed-examples.test.ts',
      'e2e/start-guide.test.ts',
    ],
  },
  php: { debianPackages: ['php-cli'], testFiles: ['e2e/embed-examples.test.ts'] },
  go: { debianPackages: ['golang-go'], testFiles: ['e2e/embed-examples.test.ts'] },
} satisfies Record<string, OptionalProgram>;

/** Test files that need no such program, and that only `npm run test:optional` runs. */
export const SELECTED_TEST_FILES: readonly string[] = ['e2e/release.test.ts'];

/** The variable with which `npm run test:optional` runs tests. */
export const SELECTED = 'RUN_OPTIONAL_TESTS';

/** The name of an optional program. */
export type ProgramName = keyof typeof OPTIONAL_PROGRAMS;

/** For the option `skip` of a test: why it cannot run, or false if the programs are installed. */
export function skipWithout(...programs: ProgramName[]): string | false {
  const missing = programs.filter((program) => findProgram(program) === undefined);
  return missing.length > 0 && `not installed: ${missing.join(', ')}`;
}

/**
 * For the option `skip` of a test that takes minutes and downloads packages: only `npm run test:optional` runs it. Returns
 * the reason, or false.
 */
export function skipUnlessSelected(): string | false {
  return process.env[SELECTED] === undefined && 'only npm run test:optional runs it';
}

/** Returns the path of an installed program: the first in the folders of `PATH`. */
export function findProgram(program: ProgramName): string | undefined {
  const paths = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, program));
  return paths.find(isExecutable);
}

/** Returns the entries of the programs that are not installed. */
export function listMissingPrograms(): [name: string, program: OptionalProgram][] {
  return Object.entries<OptionalProgram>(OPTIONAL_PROGRAMS).filter(
    ([name]) => findProgram(name as ProgramName) === undefined,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
