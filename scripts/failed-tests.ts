import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

/** The line between the text of a reporter and the failed tests. */
const SEPARATOR = '\nFailed tests:\n';

/** The most characters of an error, so that the list can be read as a whole. */
const MAX_ERROR_LENGTH = 2000;

type FailEvent = Extract<TestEvent, { type: 'test:fail' }>;

/** A reporter for `node --test`. */
type Reporter = (events: AsyncIterable<TestEvent>) => AsyncGenerator<string>;

/**
 * Returns a reporter that prints each failed test with its error, and errors that belong to no test, after what another
 * reporter prints. `splitFailedTests` divides the text again. Not a reporter of its own: with three, Node warns of too many listeners.
 */
export function withFailedTests(reporter: Reporter): Reporter {
  return async function* report(events) {
    const failures: string[] = [];
    async function* follow(): AsyncGenerator<TestEvent> {
      for await (const event of events) {
        if (event.type === 'test:fail' && isOwnFailure(event))
          failures.push(formatFailedTest(event));
        if (isOutsideError(event)) failures.push(`- outside of all tests: ${event.data.message}\n`);
        yield event;
      }
    }
    yield* reporter(follow());
    yield SEPARATOR + failures.join('');
  };
}

/** Returns the text of the reporter, and the failed tests. */
export function splitFailedTests(text: string): { summary: string; failures: string } {
  const [summary = '', failures = ''] = text.split(SEPARATOR);
  return { summary, failures };
}

/** Whether Node reports an error that is in the promise of no test. The run fails. */
export function isOutsideError(
  event: TestEvent,
): event is Extract<TestEvent, { type: 'test:diagnostic' }> {
  return event.type === 'test:diagnostic' && event.data.message.startsWith('Error: ');
}

/** Whether a test itself failed, and not only tests in it. */
function isOwnFailure({ data: { details, todo } }: FailEvent): boolean {
  const { failureType } = details.error as { failureType?: string };
  return failureType !== 'subtestsFailed' && todo === undefined;
}

function formatFailedTest({ data: { name, file, details } }: FailEvent): string {
  const error = inspect(details.error.cause ?? details.error).slice(0, MAX_ERROR_LENGTH);
  return `- ${relative('.', file ?? '')}: ${name}\n${error.replaceAll(/^/gm, '    ')}\n`;
}
