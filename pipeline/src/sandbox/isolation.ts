import { realpathSync } from 'node:fs';
import type { ResourceLimits } from './limits.ts';
import type { SandboxLevel } from './sandbox-report.ts';

/** A command, and what it reads from the file descriptor FILTER_FD. */
export type IsolatedCommand = { command: string[]; filter?: Buffer };

export type IsolationOptions = {
  /** The directory of the job, or the profile of the browser. */
  directory: string;
  limits: ResourceLimits;
  /** The user to run as, if the isolation changes the user; see sandbox-user.ts. */
  userId?: number | undefined;
};

/** The isolation of child processes. Both levels implement it. */
export type Isolation = {
  level: SandboxLevel;
  /** Protections that this system does not have, as texts for the operator. */
  missing: string[];
  /** The processes run as another user than the service. */
  changesUser: boolean;
  /** The processes see and signal only those of their own job, and end with it. */
  hasOwnProcesses: boolean;
  /** Chromium's own sandbox may start: it needs user namespaces, and another user than root. */
  allowsChromiumSandbox: boolean;
  /** Returns the command that runs a worker, which can read `directory`. */
  wrapWorker(command: readonly string[], options: IsolationOptions): IsolatedCommand;
  /** Returns the command that runs a browser. `directory` is its profile, to which it can write. */
  wrapBrowser(command: readonly string[], options: IsolationOptions): IsolatedCommand;
};

/** The whole environment of a browser, whose profile is also its home and its directory for temporary files. */
export function createBrowserEnvironment(profile: string): Record<string, string> {
  return { HOME: profile, TMPDIR: profile, PATH: '/usr/bin:/bin' };
}

/** Returns the path without symbolic links, or the path itself if it does not exist. */
export function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // The start of the program reports what is wrong.
    return path;
  }
}
