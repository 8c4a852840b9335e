import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { listMissingPrograms } from './optional-programs.ts';

/** A reporter for `node --test` that prints, as the last lines, which tests were skipped and why. */
export default async function* reportSkippedTests(
  events: AsyncIterable<TestEvent>,
): AsyncGenerator<string> {
  const skipped: string[] = [];
  for await (const { type, data } of events) {
    if (type !== 'test:pass' || data.skip === undefined) continue;
    const reason = typeof data.skip === 'string' ? data.skip : 'no reason is given';
    skipped.push(`- ${relative('.', data.file ?? '')}: ${data.name} (${reason})`);
  }
  yield formatSkippedTests(skipped);
}

function formatSkippedTests(skipped: readonly string[]): string {
  if (skipped.length === 0) return '\nNo test was skipped.\n';
  const packages = listMissingPrograms().flatMap(([, { debianPackages }]) => debianPackages);
  const advice =
    packages.length > 0 ? `On Debian: apt-get install ${[...new Set(packages)].join(' ')}\n` : '';
  return `\nNot tested on this machine:\n${skipped.join('\n')}\n${advice}`;
}
