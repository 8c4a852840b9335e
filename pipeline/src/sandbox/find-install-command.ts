import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findExecutable } from './find-executable.ts';

/** The package managers of common distributions. The packages have the same names in all of them. */
const INSTALL_COMMANDS = [
  ['apt-get', 'apt-get install'],
  ['dnf', 'dnf install'],
  ['apk', 'apk add'],
  ['pacman', 'pacman -S'],
  ['zypper', 'zypper install'],
] as const;
const PROBE_TIMEOUT_MS = 5000;

/** What bubblewrap uses: as root without a user namespace, else with one. */
const NAMESPACES = ['--mount', '--pid', '--net', '--ipc', '--uts', '--fork'];

/**
 * Returns the end of a sentence that says what to do about a missing package: the command that installs it, or that
 * the system would not let it work.
 */
export async function findInstallCommand(
  packageName: string,
  directories?: readonly string[],
): Promise<string> {
  if (!(await allowsNamespaces(directories)))
    return ', and this system does not allow the namespaces that it needs';
  for (const [program, command] of INSTALL_COMMANDS) {
    if ((await findExecutable(program, directories)) !== '')
      return `; run: ${command} ${packageName}`;
  }
  return `; install the package ${packageName}`;
}

/** Without `unshare`, we assume that it allows them. */
async function allowsNamespaces(directories?: readonly string[]): Promise<boolean> {
  const unshare = await findExecutable('unshare', directories);
  if (unshare === '') return true;
  const user = process.getuid?.() === 0 ? [] : ['--map-current-user'];
  try {
    await promisify(execFile)(unshare, [...user, ...NAMESPACES, '/bin/sh', '-c', ':'], {
      timeout: PROBE_TIMEOUT_MS,
    });
    return true;
  } catch {
    // Refused: the reason makes no difference.
    return false;
  }
}
