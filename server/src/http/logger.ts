import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { redactTokens } from './redact-tokens.ts';

export type { Logger };

const FLUSH_INTERVAL_MS = 100;
const MIN_WRITE_LENGTH = 4096;

/** Creates the logger of the service. No line contains a token. */
export function createLogger(level: string, destination: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
    hooks: { streamWrite: redactTokens },
  };
  return pino(options, destination);
}

/** Creates a logger that writes nothing. */
export function createSilentLogger(): Logger {
  return pino({ level: 'silent' });
}

/**
 * Opens standard output for log lines. Lines are collected for up to 100 ms, because one write per
 * line costs more than the response it describes. pino writes the remaining lines when the process exits.
 */
export function openStdout(): DestinationStream {
  return pino.destination({
    dest: 1,
    minLength: MIN_WRITE_LENGTH,
    sync: false,
    periodicFlush: FLUSH_INTERVAL_MS,
  });
}
