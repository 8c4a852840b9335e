import assert from 'node:assert/strict';
import { it } from 'node:test';
import { makeDae } from '../../../testing/formats/dae.ts';
import { VALIDATION_LIMITS } from '../../validation/budgets.ts';
import { createBufferReader } from '../../validation/byte-reader.ts';
import { validateDae } from './validate.ts';

for (const url of ['#node-1', '&#35;node-1', '&#x23;node-1', '#node&#45;1']) {
  it(`rejects a node that instantiates itself as "${url}"`, async () => {
    const dae = makeDae().toString().replace('</node>', `<instance_node url="${url}"/></node>`);
    await assert.rejects(validateDae(createBufferReader(Buffer.from(dae)), VALIDATION_LIMITS), {
      code: 'design.unreadable',
      reason: 'cycle',
    });
  });
}
