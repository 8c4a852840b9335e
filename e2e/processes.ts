import { readdir, readFile, readlink } from 'node:fs/promises';

/** A process of this machine, and its whole ancestry as far as it matters here: its parent. */
export type Process = { pid: number; parent: number; group: number; cwd: string; command: string };

/** All that run now, without those that are dead and only not yet collected. */
export async function listProcesses(): Promise<Process[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const all = await Promise.all(pids.map((pid) => readProcess(pid).catch(() => undefined)));
  return all.filter((one) => one !== undefined);
}

async function readProcess(pid: number): Promise<Process | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name may hold anything, also brackets and blanks.
  const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return undefined;
  const [cwd, command] = await Promise.all([
    readlink(`/proc/${pid}/cwd`).catch(() => ''),
    readFile(`/proc/${pid}/cmdline`, 'utf8'),
  ]);
  return { pid, parent: Number(parent), group: Number(group), cwd, command };
}

/** The processes that work in a folder or name it. */
export async function processesOf(folder: string): Promise<Process[]> {
  const all = await listProcesses();
  return all.filter(({ cwd, command }) => cwd.startsWith(folder) || command.includes(folder));
}

/** The processes below one, children of children too. */
export async function processesBelow(pid: number): Promise<Process[]> {
  const all = await listProcesses();
  const below = new Set([pid]);
  for (let before = 0; before < below.size; ) {
    before = below.size;
    for (const one of all) if (below.has(one.parent)) below.add(one.pid);
  }
  below.delete(pid);
  return all.filter((one) => below.has(one.pid));
}
