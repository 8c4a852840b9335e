import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { LogDestination } from './log-destination.ts';

const LINE = `${'x'.repeat(999)}\n`;

/** Opens a named pipe that nobody reads until the test calls `read`. */
async function openPipe(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'cloche-log-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  let open = true;
  const closeReader = () => {
    if (open) closeSync(readFd);
    open = false;
  };
  t.after(() => {
    closeReader();
    closeSync(fd);
  });
  const buffer = Buffer.alloc(4 * 1024 * 1024);
  /** Returns the lines in the pipe. */
  const read = () => {
    try {
      return buffer.toString('utf8', 0, readSync(readFd, buffer));
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN');
      return '';
    }
  };
  return { destination: new LogDestination(fd), read, closeReader };
}

/** Reads until the destination has nothing more to write. */
function readAll({ destination, read }: Awaited<ReturnType<typeof openPipe>>): string[] {
  let text = read();
  while (!destination.flush()) text += read();
  return (text + read()).split('\n').slice(0, -1);
}

test('lines that nobody reads wait up to a limit; the others are counted, and the count is reported', async (t) => {
  const pipe = await openPipe(t);
  for (const count of [5000, 7000]) {
    for (let i = 0; i < count; i += 1) pipe.destination.write(LINE);
    const lines = readAll(pipe);
    const report = JSON.parse(lines.pop() ?? '');
    assert.equal(lines.length + report.droppedLines, count, 'every line is received or counted');
    assert.ok(report.droppedLines > count / 2);
    // The pipe, the bytes that are being written, and the lines that wait.
    assert.ok(lines.length >= 1000 && lines.length < 2300, String(lines.length));
    assert.ok(lines.every((line) => `${line}\n` === LINE));
    assert.equal(report.level, 'warn');
    assert.match(report.msg, /dropped/);
  }
});

test('no line is dropped and nothing is reported if there is a reader', async (t) => {
  const pipe = await openPipe(t);
  let received = '';
  for (let i = 0; i < 5000; i += 1) {
    pipe.destination.write(LINE);
    if (i % 20 === 0) received += pipe.read();
  }
  assert.equal(received.length + readAll(pipe).join('\n').length + 1, 5000 * LINE.length);
});

test('few lines are written after a moment', async (t) => {
  const { destination, read } = await openPipe(t);
  destination.write(LINE);
  assert.equal(read(), '');
  let text = '';
  while (text === '') {
    await new Promise((resolve) => setTimeout(resolve, 10));
    text = read();
  }
  assert.equal(text, LINE);
});

test('a reader that has gone is no error, and nothing is kept for it', async (t) => {
  const { destination, closeReader } = await openPipe(t);
  closeReader();
  destination.write(LINE);
  assert.equal(destination.flush(), true);
  destination.write(LINE);
  assert.equal(destination.flush(), true);
});

const endings: [how: string, script: string][] = [
  ['when the process ends by itself', ''],
  ['when it calls process.exit', 'process.exit(0);'],
  ['when an error is not caught', "throw new Error('x');"],
];

for (const [how, script] of endings) {
  test(`no line is lost ${how}`, async () => {
    const [loggerUrl, destinationUrl] = ['logger.ts', 'log-destination.ts'].map((file) =>
      JSON.stringify(join(import.meta.dirname, file)),
    );
    const code = `import { createLogger } from ${loggerUrl};
      import { openStdout } from ${destinationUrl};
      const log = createLogger('info', openStdout());
      for (let i = 0; i < 3000; i += 1) log.info({ i }, 'line');
      ${script}`;
    const args = ['--input-type=module', '--eval', code];
    const { stdout } = await promisify(execFile)(process.execPath, args).catch((error) => error);
    const numbers = stdout
      .trimEnd()
      .split('\n')
      .map((line: string) => JSON.parse(line).i);
    assert.deepEqual(
      numbers,
      Array.from({ length: 3000 }, (_, i) => i),
    );
  });
}
