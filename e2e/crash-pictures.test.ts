import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { makeBox } from '../server/testing/models.ts';
import {
  checkNothingLeft,
  checkReady,
  killGroup,
  killService,
  PATIENCE_MS,
  type Scene,
  setTheStage,
  troubles,
} from './crash-scene.ts';
import { type Process, processesBelow } from './processes.ts';
import { ROUNDS } from './rounds.ts';

const skip = !existsSync('/proc/self/stat');

describe('kill -9 while a picture is taken', { skip }, () => {
  it('of the browser, then of the service: the design is ready, and nothing outlives it', async (t) => {
    const scene = await setTheStage(t, { CLOCHE_CHROMIUM: process.env.CLOCHE_CHROMIUM });
    const { service, owner } = scene;
    for (let round = 0; round < ROUNDS / 3; round += 1) {
      const first = await sendUntilBrowser(scene);
      await wait(1000 * Math.random());
      killGroup(first.browser);
      // With a picture or without: a model is a model.
      await checkReady(scene, [first.id]);

      const second = await sendUntilBrowser(scene);
      assert.notEqual(second.browser.pid, first.browser.pid);
      await killService(scene, 1000 * Math.random());
      await service.start();
      await checkReady(scene, [second.id]);
      const { posters = [] } = await owner.framed(second.id);
      assert.ok(posters.length > 0, troubles(service));
      for (const { url } of posters) await owner.artifact(await owner.framed(second.id), url);
      for (const browser of findBrowsers(scene)) killGroup(browser);
    }
    assert.equal(await service.end('SIGTERM'), 0);
    await checkNothingLeft(scene);
  });
});

/** Uploads a model, and waits for the browser that takes its picture. */
async function sendUntilBrowser(scene: Scene): Promise<{ id: string; browser: Process }> {
  const { view } = await scene.owner.send(makeBox(), { waitS: 0 });
  for (const deadline = Date.now() + PATIENCE_MS; ; await wait(25)) {
    const [browser] = findBrowsers(scene);
    if (browser !== undefined) return { id: view.id, browser };
    assert.ok(Date.now() < deadline, `no browser is seen: ${troubles(scene.service)}`);
  }
}

/** The leaders of the browsers that the service has started, and that were not met before. */
function findBrowsers({ service, met }: Scene): Process[] {
  const all = processesBelow(service.pid);
  const found = all.filter(
    ({ pid, group, command }) =>
      pid === group && command.includes('--user-data-dir') && !met.has(pid),
  );
  for (const { pid } of found) met.add(pid);
  return found;
}
