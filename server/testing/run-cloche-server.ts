import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { SHARED_ENVIRONMENT } from '../../scripts/service-process.ts';
import { COMMANDS } from '../src/commands/commands.ts';
import { runCommand } from '../src/commands/run-command.ts';

const BIN = join(import.meta.dirname, '../bin/cloche-server.js');

/** The exit code of a command, and what it printed. */
export type CommandResult = { status: number | null; stdout: string; stderr: string };

/** Runs `cloche-server` with arguments, as a process of its own. */
export async function runClocheServer(
  args: string[],
  environment: NodeJS.ProcessEnv,
): Promise<CommandResult> {
  const child = spawn(process.execPath, [BIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...SHARED_ENVIRONMENT, ...environment },
  });
  const exited = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { status: await exited, stdout, stderr };
}

/** Runs a command of `cloche-server` in this process, which takes less time. */
export async function runInProcess(
  args: string[],
  environment: NodeJS.ProcessEnv,
): Promise<CommandResult> {
  const result = { stdout: '', stderr: '' };
  const status = await runCommand(args, {
    commands: COMMANDS,
    environment,
    output: {
      print: (line) => {
        result.stdout += `${line}\n`;
      },
      note: (line) => {
        result.stderr += `${line}\n`;
      },
    },
  });
  return { status, ...result };
}
