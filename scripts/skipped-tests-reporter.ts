import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { listMissingPrograms } from './optional-programs.ts';

/** A test that was skipped, in a file relative to the root. */
export type SkippedTest = { file: string; name: string; reason: string };

/** A reporter for `node --test` that prints, as the last lines, which tests were skipped and why. */
export default async function* reportSkippedTests(
  events: AsyncIterable<TestEvent>,
): AsyncGenerator<string> {
  const skipped: SkippedTest[] = [];
  for await (const event of events) {
    const test = toSkippedTest(event);
    if (test !== undefined) skipped.push(test);
  }
  yield formatSkippedTests(skipped.map(formatSkippedTest));
}

/** Returns the test that an event reports as skipped. */
export function toSkippedTest({ type, data }: TestEvent): SkippedTest | undefined {
  if (type !== 'test:pass' || data.skip === undefined) return undefined;
  const reason = typeof data.skip === 'string' ? data.skip : 'no reason is given';
  return { file: relative('.', data.file ?? ''), name: data.name, reason };
}

export function formatSkippedTest({ file, name, reason }: SkippedTest): string {
  return `- ${file}: ${name} (${reason})`;
}

/** Formats the lines of skipped tests, and how to install what they need. */
export function formatSkippedTests(skipped: readonly string[]): string {
  if (skipped.length === 0) return '\nNo test was skipped.\n';
  const packages = listMissingPrograms().flatMap(([, { debianPackages }]) => debianPackages);
  const advice =
    packages.length > 0 ? `On Debian: apt-get install ${[...new Set(packages)].join(' ')}\n` : '';
  return `\nNot tested on this machine:\n${skipped.join('\n')}\n${advice}`;
}
