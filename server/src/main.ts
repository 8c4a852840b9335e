import type { Command } from './commands/command.ts';
import { COMMANDS } from './commands/commands.ts';
import { runCommand } from './commands/run-command.ts';
import { UsageError } from './commands/usage-error.ts';
import { retainTickObject } from './startup/retain-tick-object.ts';

// Node opens a debugger on this signal, and every process of the same user can send it. `npm start`
// also passes --disable-sigusr1, which has an effect before this line.
process.on('SIGUSR1', () => {});
// Before the modules of the service are loaded, during which V8 collects garbage.
retainTickObject();

const serveCommand: Command = {
  summary: 'Run the service. This is the default.',
  usage: `Usage: cloche-server [serve]

Runs the service until SIGTERM or Ctrl+C.`,
  async run(args, { config }) {
    if (args.length > 0) throw new UsageError(`"${args[0]}" is not an option of serve.`);
    // Loaded when it is needed: the other commands start faster without it.
    const { serve } = await import('./serve.ts');
    await serve(config);
  },
};

process.exitCode = await runCommand(process.argv.slice(2), {
  commands: { serve: serveCommand, ...COMMANDS },
  environment: process.env,
  output: {
    print: (line) => void process.stdout.write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
    // Returns to the first column and clears the rest of the line.
    ...(process.stderr.isTTY && {
      rewrite: (line) => void process.stderr.write(`\r${line}\u001b[K`),
    }),
  },
});
