import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { makeBox } from '@cloche/pipeline/testing/models';
import { findDescendants, type Process } from '@cloche/pipeline/testing/processes';
import { waitUntil } from '../scripts/wait-until.ts';
import {
  assertNothingLeft,
  assertReady,
  type CrashFixtures,
  formatLoggedErrors,
  killProcessGroup,
  killServiceDuringJob,
  setUpCrashTest,
} from './crash-fixtures.ts';
import { ROUNDS } from './rounds.ts';

const skip = !existsSync('/proc/self/stat');

describe('kill -9 while a poster is rendered', { skip }, () => {
  it('of the browser, then of the service: the design becomes ready, and no process survives', async (t) => {
    const fixtures = await setUpCrashTest(t, { CLOCHE_CHROMIUM: process.env.CLOCHE_CHROMIUM });
    const { service, client } = fixtures;
    for (let round = 0; round < ROUNDS / 3; round += 1) {
      const first = await uploadUntilBrowserStarts(fixtures);
      await delay(1000 * Math.random());
      killProcessGroup(first.browser);
      // The design is ready with or without a poster.
      await assertReady(fixtures, [first.id]);

      const second = await uploadUntilBrowserStarts(fixtures);
      assert.notEqual(second.browser.pid, first.browser.pid);
      await killServiceDuringJob(fixtures, 1000 * Math.random());
      await service.start();
      await assertReady(fixtures, [second.id]);
      const { posters = [] } = await client.getViewerConfig(second.id);
      assert.ok(posters.length > 0, formatLoggedErrors(service));
      for (const { url } of posters)
        await client.getArtifact(await client.getViewerConfig(second.id), url);
      for (const browser of findNewBrowsers(fixtures)) killProcessGroup(browser);
    }
    assert.equal(await service.stop('SIGTERM'), 0);
    await assertNothingLeft(fixtures);
  });
});

/** Uploads a model and waits for the browser that renders its poster. */
async function uploadUntilBrowserStarts(
  fixtures: CrashFixtures,
): Promise<{ id: string; browser: Process }> {
  const { body } = await fixtures.client.upload(makeBox(), { waitS: 0 });
  const browser = await waitUntil(
    () => `the browser to start: ${formatLoggedErrors(fixtures.service)}`,
    () => findNewBrowsers(fixtures)[0],
  );
  return { id: body.id, browser };
}

/** The main processes of the browsers that the service has started since the last call. */
function findNewBrowsers({ service, seenPids }: CrashFixtures): Process[] {
  const browsers = findDescendants(service.pid).filter(
    ({ pid, groupId, command }) =>
      pid === groupId && command.includes('--user-data-dir') && !seenPids.has(pid),
  );
  for (const { pid } of browsers) seenPids.add(pid);
  return browsers;
}
