import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Design } from '@cloche/contract/design';
import { findRepeatedKey, parseFormValues, pickChanges, toFormValues } from './form-values.ts';

const FIELDS = {
  name: '<img src=x>',
  description: 'One\r\nTwo\n',
  tags: ['oak, solid', 'a:b', '\u05d0 chair', ','],
  externalId: null,
  maxTriangles: 5000,
  maxTextureSize: 4096,
  metadata: {
    'a:b': 'https://a.example/?b: c',
    'a: b': ' spaces ',
    'key\nwith a line break': 'One\nTwo\r\n',
    empty: '',
    ' ': ',',
  },
  shared: true,
};
const DESIGN = FIELDS as unknown as Design;

it('the fields of a design are the same after they were in the form', () => {
  assert.deepEqual(parseFormValues(toFormValues(DESIGN)), FIELDS);
});

it('limits of the model that are empty are those of the service', () => {
  const unlimited = { ...DESIGN, maxTriangles: null, maxTextureSize: null };
  const values = toFormValues(unlimited);
  assert.deepEqual([values.maxTriangles, values.maxTextureSize], ['', '']);
  const { maxTriangles, maxTextureSize } = parseFormValues(values);
  assert.deepEqual([maxTriangles, maxTextureSize], [null, null]);
});

it('only the fields that differ are changed', () => {
  const before = toFormValues(DESIGN);
  assert.deepEqual(pickChanges(toFormValues(structuredClone(DESIGN)), before), {});
  const after = { ...before, tags: ['oak', 'solid'], shared: false };
  assert.deepEqual(pickChanges(after, before), { tags: ['oak', 'solid'], shared: false });
  const typed = { ...before, tags: ['oak'], newTag: ' a, b ' };
  assert.deepEqual(parseFormValues(typed).tags, ['oak', 'a, b']);
  assert.deepEqual(parseFormValues({ ...typed, newTag: 'oak' }).tags, ['oak']);
});

it('a key that occurs twice is found, rows that are not filled in are not sent', () => {
  const { metadata, ...others } = toFormValues(DESIGN);
  const empty = { id: 50, key: '', value: '' };
  const rows = [...metadata, empty, { ...empty, id: 51 }];
  assert.deepEqual(parseFormValues({ ...others, metadata: rows }).metadata, FIELDS.metadata);
  assert.equal(findRepeatedKey(rows), undefined);
  assert.equal(findRepeatedKey([...rows, { id: 52, key: 'a:b', value: '' }]), 'a:b');
});
