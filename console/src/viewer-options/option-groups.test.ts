import assert from 'node:assert/strict';
import { it } from 'node:test';
import { VIEWER_OPTION_NAMES } from '@cloche/contract/viewer-options';
import { OPTION_GROUPS } from './option-groups.ts';

it('each option of an embed is in one group', () => {
  const names = Object.values(OPTION_GROUPS).flat();
  assert.deepEqual(names.toSorted(), VIEWER_OPTION_NAMES.toSorted());
});
