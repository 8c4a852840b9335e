import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProgressPrinter } from './print-progress.ts';

/** Records what a command prints. In a terminal, lines can be replaced. */
function openOutput({ isTerminal }: { isTerminal: boolean }) {
  const lines: string[] = [];
  const output = {
    print: () => assert.fail('Progress is no output.'),
    note: (line: string) => void lines.push(line),
    rewrite: isTerminal ? (line: string) => void lines.push(`rewrite ${line}`) : undefined,
  };
  return { lines, output };
}

test('in a terminal: a bar, which is complete at the end of each step, and then the next line', () => {
  const { lines, output } = openOutput({ isTerminal: true });
  const printProgress = createProgressPrinter(output);
  printProgress('files', 0, 4);
  printProgress('files', 4, 4);
  printProgress('rows', 3, 6);
  printProgress('rows', 6, 6);
  assert.deepEqual(lines, [
    'rewrite [........................] 0 of 4 files',
    'rewrite [########################] 4 of 4 files',
    '',
    'rewrite [############............] 3 of 6 rows',
    'rewrite [########################] 6 of 6 rows',
    '',
  ]);
});

test('in a terminal: nothing to do is a complete bar', () => {
  const { lines, output } = openOutput({ isTerminal: true });
  createProgressPrinter(output)('files', 0, 0);
  assert.deepEqual(lines, ['rewrite [########################] 0 of 0 files', '']);
});

test('in a terminal: the bar is not written more often than ten times in a second', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 });
  const { lines, output } = openOutput({ isTerminal: true });
  const printProgress = createProgressPrinter(output);
  printProgress('files', 1, 1000);
  printProgress('files', 2, 1000);
  t.mock.timers.tick(99);
  printProgress('files', 3, 1000);
  t.mock.timers.tick(1);
  printProgress('files', 4, 1000);
  assert.deepEqual(
    lines.map((line) => line.split('] ')[1]),
    ['1 of 1000 files', '4 of 1000 files'],
  );
});

test('elsewhere: a line for each tenth', () => {
  const { lines, output } = openOutput({ isTerminal: false });
  const printProgress = createProgressPrinter(output);
  for (let done = 0; done <= 20; done += 1) printProgress('files', done, 20);
  assert.equal(lines.length, 11);
  assert.deepEqual(
    [lines[0], lines[1], lines[10]],
    ['0 of 20 files', '2 of 20 files', '20 of 20 files'],
  );
});
