import { Problem } from '@cloche/contract/problem';
import {
  type DestinationStream,
  type Logger,
  type LoggerOptions,
  pino,
  stdSerializers,
} from 'pino';
import { isDiskFull } from '../disk/disk-reserve.ts';
import { redactTokens } from './redact-tokens.ts';

export type { Logger };

/** Creates the logger of the service. No line contains a token. */
export function createLogger(level: string, destination: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: serializeError },
    hooks: { streamWrite: redactTokens },
  };
  return pino(options, destination);
}

/** A full disk is no error of the program: its stack trace would not help. */
function serializeError(error: Error): object {
  const isFull =
    (error instanceof Problem && error.code === 'server.storage-full') || isDiskFull(error);
  if (!isFull) return stdSerializers.err(error);
  const { code, message } = error as NodeJS.ErrnoException;
  return { type: error.name, code, message };
}

/** Creates a logger that writes nothing. */
export function createSilentLogger(): Logger {
  return pino({ level: 'silent' });
}
