import type { Config } from '../config.ts';

/** Where a command writes its result, and notes for people. */
export type CommandOutput = {
  print(line: string): void;
  note(line: string): void;
  /** Replaces the last line in a terminal. Undefined: notes do not go to a terminal. */
  rewrite?: ((line: string) => void) | undefined;
};

export type CommandContext = { config: Config; output: CommandOutput; now: () => Date };

/** A command of `cloche-server`. */
export type Command = {
  /** One sentence, for the list of commands. */
  summary: string;
  /** What `--help` prints. */
  usage: string;
  /**
   * Returns the exit code, if it is not 0.
   * @throws {UsageError | ConfigError | InstallationError | Problem}
   */
  run(args: string[], context: CommandContext): Promise<number | undefined>;
};
