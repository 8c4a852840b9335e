import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProgressHub } from './progress.ts';

test('the progress of a node that was killed is not shown after this node has run the job', () => {
  const progress = new ProgressHub();
  progress.receive('design', { step: 'compress', percent: 50, preview: false });
  progress.publish('design', { step: 'read', percent: 1, preview: false });
  assert.equal(progress.findProgress('design')?.percent, 1);
  progress.publish('design', undefined);
  assert.equal(progress.findProgress('design'), undefined);
});
