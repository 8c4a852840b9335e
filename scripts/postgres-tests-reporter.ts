import type { TestEvent } from 'node:test/reporters';
import { SQLITE_ONLY } from '../server/testing/postgres-run.ts';
import { formatSkippedTest, type SkippedTest, toSkippedTest } from './skipped-tests-reporter.ts';
import { SQLITE_TEST_FILES } from './sqlite-test-files.ts';

/**
 * A reporter for `node --test` that prints how many tests have passed with PostgreSQL, and which did not run
 * and why.
 */
export default async function* reportPostgresTests(
  events: AsyncIterable<TestEvent>,
): AsyncGenerator<string> {
  const skipped: SkippedTest[] = [];
  for await (const event of events) {
    const test = toSkippedTest(event);
    if (test !== undefined) skipped.push(test);
    // The summary of the whole run has no file.
    if (event.type === 'test:summary' && event.data.file === undefined) {
      const { counts, duration_ms: durationMs } = event.data;
      const failed = counts.tests - counts.passed - counts.skipped - counts.todo;
      yield `\nWith PostgreSQL, ${counts.passed} tests passed and ${failed} failed, in ${Math.round(durationMs / 1000)} s.\n`;
    }
  }
  const isExcluded = ({ reason }: SkippedTest) => reason.startsWith(SQLITE_ONLY);
  const files = Object.entries(SQLITE_TEST_FILES).map(([file, reason]) => `- ${file} (${reason})`);
  const tests = skipped.filter(isExcluded).map(formatSkippedTest);
  yield `Excluded with PostgreSQL, ${files.length} files and ${tests.length} tests:\n`;
  yield `${[...files, ...tests].join('\n')}\n`;
  const others = skipped.filter((test) => !isExcluded(test)).map(formatSkippedTest);
  if (others.length > 0) yield `Not tested with PostgreSQL:\n${others.join('\n')}\n`;
}
