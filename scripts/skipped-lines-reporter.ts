import type { TestEvent } from 'node:test/reporters';
import { withFailedTests } from './failed-tests.ts';
import { formatSkippedTest, toSkippedTest } from './skipped-tests-reporter.ts';

/** A reporter for `node --test` that prints a line for each test that was skipped. */
export default withFailedTests(async function* reportSkippedLines(
  events: AsyncIterable<TestEvent>,
): AsyncGenerator<string> {
  for await (const event of events) {
    const test = toSkippedTest(event);
    if (test !== undefined) yield `${formatSkippedTest(test)}\n`;
  }
});
