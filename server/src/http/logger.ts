import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { redactTokens } from './redact-tokens.ts';

export type { Logger };

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
