import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that some tests need and that npm does not install. */
type OptionalProgram = {
  /** The Debian packages with the program and what it needs. */
  debianPackages: readonly string[];
  /** The test files that skip their tests when the program is missing. */
  testFiles: readonly string[];
  /** What is not tested without the program. */
  purpose: string;
};

/** The programs, by the name of their executable. `npm test` reports those that are missing. */
export const OPTIONAL_PROGRAMS = {
  'firefox-esr': {
    debianPackages: ['firefox-esr'],
    testFiles: ['e2e/gate-firefox.test.ts'],
    purpose: 'which pages may show a design in Firefox',
  },
  Xvfb: {
    debianPackages: ['xvfb', 'libgl1-mesa-dri'],
    testFiles: ['e2e/gate-firefox.test.ts'],
    purpose: 'WebGL in Firefox',
  },
} satisfies Record<string, OptionalProgram>;

type ProgramName = keyof typeof OPTIONAL_PROGRAMS;

/** For the option `skip` of a test: why it cannot run, or false if the programs are installed. */
export function skipWithout(...programs: ProgramName[]): string | false {
  const missing = programs.filter((program) => findProgram(program) === undefined);
  return missing.length > 0 && `not installed: ${missing.join(', ')}`;
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
