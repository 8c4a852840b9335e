import { ConfigError, readConfig } from './config.ts';
import { serve } from './serve.ts';

try {
  await serve(readConfig(process.env));
} catch (error) {
  // The message tells the operator what to correct. A stack trace would not help.
  if (!(error instanceof ConfigError)) throw error;
  console.error(`cloche: ${error.message}`);
  process.exitCode = 1;
}
