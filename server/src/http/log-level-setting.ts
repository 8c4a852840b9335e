import type { LogLevel, LogLevelState } from '@cloche/contract/log-level';
import type { Logger } from './logger.ts';

/** The level of the log. It can be changed until the process ends. */
export class LogLevelSetting {
  readonly #log: Logger;
  readonly #configured: LogLevel;

  constructor(log: Logger) {
    this.#log = log;
    this.#configured = log.level as LogLevel;
  }

  get state(): LogLevelState {
    return { level: this.#log.level as LogLevel, configured: this.#configured };
  }

  /** Sets the level on this node. Null: that of the setting. */
  apply(level: LogLevel | null): void {
    this.#log.level = level ?? this.#configured;
  }
}
