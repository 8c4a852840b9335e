import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Row, ratio } from './table.ts';

const ROUNDS = 5;
const CHILD = join(import.meta.dirname, 'ticks-child.ts');

/** What keeping a tick (server/src/http/ticks.ts) is good for, once memory was collected some times. */
export async function benchTicks(): Promise<Row[]> {
  const kept: number[] = [];
  const not: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    kept.push(await measure('kept'));
    not.push(await measure('not'));
  }
  const what = 'ticks after collections, one kept against none';
  return [{ what, ...ratio(kept, not), unit: 'ticks/s', target: '' }];
}

async function measure(how: 'kept' | 'not'): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', CHILD, how]);
  return Number(stdout);
}
