import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version of this program, as in package.json. */
export const PROGRAM_VERSION: string = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
).version;
