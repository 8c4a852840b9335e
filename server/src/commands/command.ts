import type { Config } from '../config.ts';

/** Where a command writes its result, and notes for people. */
export type CommandOutput = { print(line: string): void; note(line: string): void };

export type CommandContext = { config: Config; output: CommandOutput; now: () => Date };

/** A command of `cloche-server`. */
export type Command = {
  /** One sentence, for the list of commands. */
  summary: string;
  /** What `--help` prints. */
  usage: string;
  /** @throws {UsageError | ConfigError | Problem} */
  run(args: string[], context: CommandContext): Promise<void>;
};
