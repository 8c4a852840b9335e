import { ConfigError, readConfig } from './config.ts';
import { serve } from './serve.ts';

// Node opens a debugger on this signal, and every process of the same user can send it. `npm start`
// also passes --disable-sigusr1, which has an effect before this line.
process.on('SIGUSR1', () => {});

try {
  await serve(readConfig(process.env));
} catch (error) {
  // The message tells the operator what to correct. A stack trace would not help.
  if (!(error instanceof ConfigError)) throw error;
  console.error(`cloche: ${error.message}`);
  process.exitCode = 1;
}
