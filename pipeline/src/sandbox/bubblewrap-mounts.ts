import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';

/** Where the loader and the C library are. On most systems, all but the first are symbolic links. */
const LIBRARY_DIRECTORIES = ['/usr/lib', '/usr/lib64', '/lib', '/lib64'];

/** Programs that start a browser of a distribution, its configuration, and fonts. The libraries are mounted anyway. */
const BROWSER_FILES = ['/usr/bin', '/usr/share/fonts', '/etc/fonts', '/etc/chromium.d'];

/** Lists what a browser consists of: its own directory, and what it uses of the system. */
export function listBrowserFiles(executable: string, profile: string): string[] {
  const directory = dirname(executable);
  if (directory === '/' || profile.startsWith(`${directory}/`))
    throw new Error(`The data directory is in ${directory}, the directory of the browser.`);
  return [...new Set([...BROWSER_FILES.filter((path) => existsSync(path)), directory])];
}

/** Returns the flags that mount the system's libraries and `paths`, all read-only. */
export function mountReadOnly(paths: readonly string[]): string[] {
  const libraries = LIBRARY_DIRECTORIES.filter((path) => existsSync(path));
  const [links, directories] = [
    libraries.filter((path) => lstatSync(path).isSymbolicLink()),
    libraries.filter((path) => !lstatSync(path).isSymbolicLink()),
  ];
  const mounted = [...directories, ...paths];
  return [
    ...createParents(mounted),
    ...mounted.flatMap((path) => ['--ro-bind', path, path]),
    ...links.flatMap((path) => ['--symlink', readlinkSync(path), path]),
  ];
}

/** Returns the flags that create the directories above the paths. Other users may enter them. */
export function createParents(paths: readonly string[]): string[] {
  return listParents(paths).flatMap((path) => ['--perms', '0755', '--dir', path]);
}

/** Lists the directories above the paths, each before those in it. */
function listParents(paths: readonly string[]): string[] {
  const parents = new Set<string>();
  for (const path of paths) {
    for (let parent = dirname(path); parent !== '/'; parent = dirname(parent)) parents.add(parent);
  }
  // A parent is shorter than what is in it.
  return [...parents].sort((a, b) => a.length - b.length);
}
