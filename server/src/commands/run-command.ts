import { Problem } from '@cloche/contract/problem';
import { readConfig } from '../config.ts';
import { PROGRAM_VERSION } from '../database/program-version.ts';
import { ConfigError } from '../environment.ts';
import { InstallationError } from '../installation/installation-error.ts';
import type { Command, CommandOutput } from './command.ts';
import { UsageError } from './usage-error.ts';

type RunCommandOptions = {
  commands: Readonly<Record<string, Command>>;
  environment: Record<string, string | undefined>;
  output: CommandOutput;
};

/**
 * Runs the command that the arguments name: `serve` if there are none. Returns the exit code: 0 after
 * success, 1 after an error, 2 for invalid arguments.
 */
export async function runCommand(
  [name = 'serve', ...args]: string[],
  { commands, environment, output }: RunCommandOptions,
): Promise<number> {
  if (['--help', '-h', 'help'].includes(name)) return print(output, toUsage(commands));
  if (['--version', '-v'].includes(name)) return print(output, PROGRAM_VERSION);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    output.note(`cloche-server: there is no command "${name}".\n\n${toUsage(commands)}`);
    return 2;
  }
  if (args.some((arg) => ['--help', '-h'].includes(arg))) return print(output, command.usage);
  try {
    const context = { config: readConfig(environment), output, now: () => new Date() };
    return (await command.run(args, context)) ?? 0;
  } catch (error) {
    // The message says what to correct. A stack trace would not help.
    if (isUsageError(error)) {
      output.note(`cloche-server: ${toMessage(error)}\n\n${command.usage}`);
      return 2;
    }
    if (!isExpected(error)) throw error;
    output.note(`cloche: ${error.message}`);
    return 1;
  }
}

function print(output: CommandOutput, text: string): number {
  output.print(text);
  return 0;
}

function isExpected(error: unknown): error is Error {
  const types = [ConfigError, InstallationError, Problem];
  return types.some((type) => error instanceof type);
}

/** An error of ours, or of `parseArgs`. */
function isUsageError(error: unknown): error is Error {
  const { code = '' } = error as { code?: string };
  return error instanceof UsageError || String(code).startsWith('ERR_PARSE_ARGS_');
}

/** Only the first sentence: `parseArgs` adds advice about positional arguments. */
const toMessage = ({ message }: Error) => message.split('. To specify')[0] ?? message;

function toUsage(commands: Readonly<Record<string, Command>>): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const lines = Object.entries(commands).map(
    ([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`,
  );
  return `Usage: cloche-server [command] [options]

Commands:
${lines.join('\n')}

"cloche-server <command> --help" describes a command. The settings are environment variables, as for the
service: CLOCHE_DATA is the data directory. See docs/configure.md.`;
}
