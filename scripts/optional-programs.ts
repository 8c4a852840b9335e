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
    testFiles: [
      'e2e/browsers.test.ts',
      'e2e/console/firefox.test.ts',
      'e2e/gate/gate-firefox.browsers.ts',
    ],
  },
  WebKitWebDriver: {
    debianPackages: ['webkit2gtk-driver'],
    testFiles: [
      'e2e/browsers.test.ts',
      'e2e/gate/gate-webkit.browsers.ts',
      'e2e/left-page-webkit.test.ts',
    ],
  },
  // Firefox has no WebGL without a display.
  Xvfb: {
    debianPackages: ['xvfb', 'libgl1-mesa-dri', 'libgl1', 'libegl1', 'libpci3'],
    testFiles: [
      'e2e/browsers.test.ts',
      'e2e/console/firefox.test.ts',
      'e2e/gate/gate-firefox.browsers.ts',
      'e2e/gate/gate-webkit.browsers.ts',
      'e2e/left-page-webkit.test.ts',
    ],
  },
  bwrap: {
    debianPackages: ['bubblewrap'],
    testFiles: [
      'e2e/gate/gate-webkit.browsers.ts',
      'e2e/left-page-webkit.test.ts',
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
    testFiles: [
      'server/src/blobs/late-removals.test.ts',
      'server/src/blobs/one-process-blob-store.test.ts',
      'server/src/blobs/s3-blob-store.test.ts',
      'server/src/blobs/s3-downloads.test.ts',
      'server/src/blobs/upload-in-parts.test.ts',
      'e2e/compose.test.ts',
      'e2e/s3.test.ts',
      'e2e/backup-s3.test.ts',
      'e2e/metrics.test.ts',
      'e2e/s3-nodes.test.ts',
      'e2e/crash-nodes-s3.test.ts',
      'e2e/move-s3.test.ts',
      'server/src/uploads/s3-upload-segments.test.ts',
      'e2e/uploads-of-nodes-s3.test.ts',
    ],
  },
  nginx: {
    debianPackages: ['nginx'],
    testFiles: [
      'e2e/demo-scale.test.ts',
      'e2e/nginx.test.ts',
      'e2e/nginx-failures.test.ts',
      'e2e/open-for-hours.test.ts',
    ],
  },
  // A connection pooler for PostgreSQL.
  pgbouncer: {
    debianPackages: ['pgbouncer'],
    testFiles: ['e2e/pgbouncer.test.ts', 'e2e/pgbouncer-suite.test.ts'],
  },
  podman: {
    debianPackages: ['podman', 'conmon'],
    testFiles: ['e2e/container.test.ts', 'e2e/compose-start.test.ts'],
  },
  buildah: {
    debianPackages: ['buildah'],
    testFiles: ['e2e/container.test.ts', 'e2e/compose-start.test.ts'],
  },
  runc: {
    debianPackages: ['runc'],
    testFiles: ['e2e/container.test.ts', 'e2e/compose-start.test.ts'],
  },
  mmdebstrap: {
    debianPackages: ['mmdebstrap'],
    testFiles: ['e2e/container.test.ts', 'e2e/compose-start.test.ts'],
  },
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

/** Runs the tests of the server through PgBouncer. `npm test` does that itself if PgBouncer is installed. */
export const POOLER_TEST_FILE = 'e2e/pgbouncer-suite.test.ts';

/** Test files that `npm test` skips also if all programs are installed: they take minutes. */
export const SELECTED_TEST_FILES: readonly string[] = [
  'e2e/compose-start.test.ts',
  'e2e/container.test.ts',
  POOLER_TEST_FILE,
  'e2e/release.test.ts',
];

/** Test files that take so long that `npm run test:optional` leaves them out, with the script that runs each. */
export const SEPARATE_TEST_FILES: Readonly<Record<string, string>> = {
  'e2e/compose-start.test.ts': 'test:compose',
};

/** The variable with which `npm run test:optional` runs tests. */
export const SELECTED = 'RUN_OPTIONAL_TESTS';

/**
 * The variable with which tests leave out most of what `npm test` has run in another way: the gate tests their controls, which are nearly
 * half of their pages, and the run through PgBouncer the files that do not depend on it.
 */
export const AFTER_NPM_TEST = 'CLOCHE_AFTER_NPM_TEST';

/** The name of an optional program. */
export type ProgramName = keyof typeof OPTIONAL_PROGRAMS;

/** For the option `skip` of a test: why it cannot run, or false if the programs are installed. */
export function skipWithout(...programs: ProgramName[]): string | false {
  const missing = programs.filter((program) => findProgram(program) === undefined);
  return missing.length > 0 && `not installed: ${missing.join(', ')}`;
}

/**
 * For the option `skip` of a test that takes minutes and downloads packages: only `npm run test:optional` runs it, or another script.
 * Returns the reason, or false.
 */
export function skipUnlessSelected(script = 'test:optional'): string | false {
  return process.env[SELECTED] === undefined && `only npm run ${script} runs it`;
}

/** Returns the path of an installed program: the first in the folders of `PATH`, or in the one of servers. */
export function findProgram(program: ProgramName): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  const paths = folders.map((folder) => join(folder, program));
  return paths.find(isExecutable);
}

/** Lists the test files that need such a program, or that only a script of their own runs. */
export function listOptionalTestFiles(): string[] {
  const files = Object.values(OPTIONAL_PROGRAMS).flatMap(({ testFiles }) => testFiles);
  return [...new Set([...files, ...SELECTED_TEST_FILES])];
}

/** Lists the optional test files of which `npm test` skips a test, or that it does not run, with the programs that are installed now. */
export function listSkippedTestFiles(): string[] {
  return listOptionalTestFiles().filter((file) => {
    if (listMissingPrograms([file]).length > 0) return true;
    const isSelected = SELECTED_TEST_FILES.includes(file) && file !== POOLER_TEST_FILE;
    return isSelected || !file.endsWith('.test.ts');
  });
}

/** Returns the entries of the programs that are not installed, and that one of the test files needs. */
export function listMissingPrograms(
  testFiles: readonly string[] = listOptionalTestFiles(),
): [name: string, program: OptionalProgram][] {
  return Object.entries<OptionalProgram>(OPTIONAL_PROGRAMS).filter(
    ([name, program]) =>
      program.testFiles.some((file) => testFiles.includes(file)) &&
      findProgram(name as ProgramName) === undefined,
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
