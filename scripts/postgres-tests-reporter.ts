import type { TestEvent } from 'node:test/reporters';
import { SQLITE_ONLY, USES_POOLER } from '../server/testing/postgres-run.ts';
import { isOutsideError, withFailedTests } from './failed-tests.ts';
import { DIRECT_ONLY_TEST_FILES, POSTGRES_ONLY_TEST_FILES } from './postgres-only-test-files.ts';
import { formatSkippedTest, type SkippedTest, toSkippedTest } from './skipped-tests-reporter.ts';
import { SQLITE_TEST_FILES } from './sqlite-test-files.ts';

/**
 * A reporter for `node --test` that prints how many tests have passed with PostgreSQL, and which did not run
 * and why.
 */
export default withFailedTests(async function* reportPostgresTests(
  events: AsyncIterable<TestEvent>,
): AsyncGenerator<string> {
  const skipped: SkippedTest[] = [];
  let failedFiles = 0;
  for await (const event of events) {
    if (event.type === 'test:fail' && isFileError(event)) failedFiles += 1;
    const test = toSkippedTest(event);
    if (test !== undefined) skipped.push(test);
    if (isOutsideError(event)) yield `\n${event.data.message}\n`;
    // The summary of the whole run has no file.
    if (event.type === 'test:summary' && event.data.file === undefined) {
      const { counts, duration_ms: durationMs } = event.data;
      const failed = counts.tests - counts.passed - counts.skipped - counts.todo + failedFiles;
      yield `\nWith PostgreSQL, ${counts.passed} tests passed and ${failed} failed, in ${Math.round(durationMs / 1000)} s.\n`;
    }
  }
  const isExcluded = ({ reason }: SkippedTest) => reason.startsWith(SQLITE_ONLY);
  const files = Object.entries(SQLITE_TEST_FILES).map(([file, reason]) => `- ${file} (${reason})`);
  const tests = skipped.filter(isExcluded).map(formatSkippedTest);
  yield `Excluded with PostgreSQL, ${files.length} files and ${tests.length} tests:\n`;
  yield `${[...files, ...tests].join('\n')}\n`;
  yield* listNotRepeated();
  const others = skipped.filter((test) => !isExcluded(test)).map(formatSkippedTest);
  if (others.length > 0) yield `Not tested with PostgreSQL:\n${others.join('\n')}\n`;
});

function* listNotRepeated(): Generator<string> {
  const files = USES_POOLER
    ? Object.entries(DIRECT_ONLY_TEST_FILES).map(([file, reason]) => `${file} (${reason})`)
    : POSTGRES_ONLY_TEST_FILES;
  const reason = USES_POOLER ? 'of a direct connection' : 'because they always use PostgreSQL';
  yield `Not repeated, ${reason}, ${files.length} files:\n`;
  yield `${files.map((file) => `- ${file}`).join('\n')}\n`;
}

/** Whether a file failed, and not only its tests: it could not be loaded, or one of its hooks failed. */
function isFileError({ data: { details } }: Extract<TestEvent, { type: 'test:fail' }>): boolean {
  const { failureType } = details.error as { failureType?: string };
  return details.type === 'suite' && failureType !== 'subtestsFailed';
}
