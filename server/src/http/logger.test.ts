import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { openTestServer } from '../../testing/harness.ts';
import { openServerDatabase, sendRequest } from '../../testing/requests.ts';

test('at level warn, only problems are logged', async (t) => {
  const service = await openTestServer(t, { logLevel: 'warn' });
  await sendRequest(service, 'GET', '/v1/tokens');
  assert.deepEqual(service.logLines, []);
  openServerDatabase(t, service).exec('ALTER TABLE design RENAME TO away');
  await sendRequest(service, 'GET', '/v1/designs');
  assert.deepEqual(
    service.logLines.map((line) => JSON.parse(line).level),
    ['error'],
  );
});

test("Fastify's own messages are logged", async (t) => {
  const service = await openTestServer(t, { listen: true });
  assert.match(service.logLines.join(''), /Server listening at/);
});

const endings: [how: string, script: string][] = [
  ['when the process ends by itself', ''],
  ['when it calls process.exit', 'process.exit(0);'],
  ['when an error is not caught', "throw new Error('x');"],
];

for (const [how, script] of endings) {
  test(`no line is lost ${how}`, async () => {
    const loggerUrl = JSON.stringify(join(import.meta.dirname, 'logger.ts'));
    const code = `import { createLogger, openStdout } from ${loggerUrl};
      const log = createLogger('info', openStdout());
      for (let i = 0; i < 1000; i += 1) log.info({ i }, 'line');
      ${script}`;
    const args = ['--input-type=module', '--eval', code];
    const { stdout } = await promisify(execFile)(process.execPath, args).catch((error) => error);
    const numbers = stdout
      .trimEnd()
      .split('\n')
      .map((line: string) => JSON.parse(line).i);
    assert.deepEqual(
      numbers,
      Array.from({ length: 1000 }, (_, i) => i),
    );
  });
}
