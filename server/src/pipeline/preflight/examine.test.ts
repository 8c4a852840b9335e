import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { soundFiles } from '../../../testing/hostile/sound.ts';
import { examine } from './examine.ts';
import { bytesSource } from './source.ts';

describe('examine tells by its bytes', () => {
  for (const { name, bytes, format, main } of soundFiles()) {
    it(`${name}`, async () => {
      const { examined } = await examine(bytesSource(bytes));
      assert.deepEqual(examined, { format, ...(main !== undefined && { main }) });
    });
  }
});
