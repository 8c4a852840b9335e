import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { makeBox } from '@cloche/pipeline/testing/models';
import { findDescendants, type Process } from '@cloche/pipeline/testing/processes';
import {
  assertNothingLeft,
  assertReady,
  type CrashFixtures,
  formatLoggedErrors,
  killProcessGroup,
  killServiceDuringJob,
  setUpCrashTest,
  WAIT_TIMEOUT_MS,
} from './crash-fixtures.ts';
import { ROUNDS } from './rounds.ts';

const skip = !existsSync('/proc/self/stat');

describe('kill -9 while a picture is taken', { skip }, () => {
  it('of the browser, then of the service: the design is ready, and nothing outlives it', async (t) => {
    const scene = await setUpCrashTest(t, { CLOCHE_CHROMIUM: process.env.CLOCHE_CHROMIUM });
    const { service, client } = scene;
    for (let round = 0; round < ROUNDS / 3; round += 1) {
      const first = await uploadUntilBrowserStarts(scene);
      await wait(1000 * Math.random());
      killProcessGroup(first.browser);
      // With a picture or without: a model is a model.
      await assertReady(scene, [first.id]);

      const second = await uploadUntilBrowserStarts(scene);
      assert.notEqual(second.browser.pid, first.browser.pid);
      await killServiceDuringJob(scene, 1000 * Math.random());
      await service.start();
      await assertReady(scene, [second.id]);
      const { posters = [] } = await client.getViewerConfig(second.id);
      assert.ok(posters.length > 0, formatLoggedErrors(service));
      for (const { url } of posters)
        await client.getArtifact(await client.getViewerConfig(second.id), url);
      for (const browser of findNewBrowsers(scene)) killProcessGroup(browser);
    }
    assert.equal(await service.stop('SIGTERM'), 0);
    await assertNothingLeft(scene);
  });
});

/** Uploads a model, and waits for the browser that takes its picture. */
async function uploadUntilBrowserStarts(
  scene: CrashFixtures,
): Promise<{ id: string; browser: Process }> {
  const { body } = await scene.client.upload(makeBox(), { waitS: 0 });
  for (const deadline = Date.now() + WAIT_TIMEOUT_MS; ; await wait(25)) {
    const [browser] = findNewBrowsers(scene);
    if (browser !== undefined) return { id: body.id, browser };
    assert.ok(Date.now() < deadline, `no browser is seen: ${formatLoggedErrors(scene.service)}`);
  }
}

/** The leaders of the browsers that the service has started, and that were not met before. */
function findNewBrowsers({ service, seenPids }: CrashFixtures): Process[] {
  const all = findDescendants(service.pid);
  const found = all.filter(
    ({ pid, groupId, command }) =>
      pid === groupId && command.includes('--user-data-dir') && !seenPids.has(pid),
  );
  for (const { pid } of found) seenPids.add(pid);
  return found;
}
