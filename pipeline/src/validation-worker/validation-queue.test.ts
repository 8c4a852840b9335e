import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ValidationQueue } from './validation-queue.ts';

function takeAll(queue: ValidationQueue<string>): string[] {
  const taken: string[] = [];
  for (let name = queue.take(); name !== undefined; name = queue.take()) taken.push(name);
  return taken;
}

it('takes the smallest file first', () => {
  const queue = new ValidationQueue<string>();
  for (const sizeBytes of [30, 10, 20]) queue.add({ task: `${sizeBytes}`, sizeBytes, userId: 'a' });
  assert.deepEqual(takeAll(queue), ['10', '20', '30']);
});

it('serves users in turn, also one with larger files', () => {
  const queue = new ValidationQueue<string>();
  for (let count = 0; count < 3; count++) queue.add({ task: 'a', sizeBytes: 1, userId: 'a' });
  queue.add({ task: 'b', sizeBytes: 100, userId: 'b' });
  queue.add({ task: 'b', sizeBytes: 100, userId: 'b' });
  queue.add({ task: 'c', sizeBytes: 50, userId: 'c' });
  assert.deepEqual(takeAll(queue), ['a', 'c', 'b', 'a', 'b', 'a']);
});

it('remembers whom it served while no file waits', () => {
  const queue = new ValidationQueue<string>();
  queue.add({ task: 'a', sizeBytes: 1, userId: 'a' });
  assert.equal(queue.take(), 'a');
  queue.add({ task: 'a', sizeBytes: 1, userId: 'a' });
  queue.add({ task: 'b', sizeBytes: 2, userId: 'b' });
  assert.deepEqual(takeAll(queue), ['b', 'a']);
});

it('a large file is overtaken eight times at most', () => {
  const queue = new ValidationQueue<string>();
  queue.add({ task: 'large', sizeBytes: 100, userId: 'a' });
  const taken: string[] = [];
  while (taken.at(-1) !== 'large') {
    queue.add({ task: 'small', sizeBytes: 1, userId: 'a' });
    taken.push(queue.take() ?? '');
  }
  assert.deepEqual(taken, [...Array(8).fill('small'), 'large']);
});

it('counts the waiting files of a user', () => {
  const queue = new ValidationQueue<string>();
  for (const userId of ['a', 'b', 'a']) queue.add({ task: '', sizeBytes: 1, userId });
  assert.deepEqual([queue.countOfUser('a'), queue.countOfUser('c')], [2, 0]);
  queue.take();
  assert.equal(queue.countOfUser('a'), 1);
  assert.deepEqual([queue.clear().length, queue.countOfUser('a')], [2, 0]);
});
