import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { BrowserContextOptions, Frame } from 'playwright-core';
import { waitUntil } from '../../scripts/wait-until.ts';
import { createAnimatedBoxGlb } from './animated-models.ts';
import { createBoxGlb } from './box-models.ts';
import {
  findPixels,
  isGreen,
  readScreenPixels,
  waitForControls,
  waitForPictureChange,
  waitForStablePicture,
} from './embedded-viewer.ts';
import { prepareExposedViewers, waitUntilOutOfView } from './exposed-viewers.ts';

const JUMP = { durationMs: 0 };
/** Seven documents of a page have a context of their own. */
const FRAMES_WITH_SHARED_CONTEXT = 9;

describe('the methods of the viewer', { concurrency: 2 }, () => {
  const openViewer = prepareExposedViewers();

  async function open(t: TestContext, model = createBoxGlb(), options?: BrowserContextOptions) {
    const opened = await openViewer(t, { model }, options);
    await waitForControls(opened.frame);
    return opened;
  }

  it('set and read the camera, in numbers and in the syntax of the options', async (t) => {
    const { frame } = await open(t);
    const states = await frame.evaluate(async (jump) => {
      const { viewer } = exposedViewer;
      const initial = await viewer.getCamera();
      await viewer.setCamera({ orbit: { theta: 1, phi: 1, radius: 5 }, target: { y: 0.2 } }, jump);
      const numbers = await viewer.getCamera();
      await viewer.setCamera({ orbit: '90deg auto 200%', target: '0m 10cm auto' }, jump);
      const texts = await viewer.getCamera();
      await viewer.resetCamera(jump);
      return { initial, numbers, texts, reset: await viewer.getCamera() };
    }, JUMP);
    assert.deepEqual(roundCamera(states.numbers), [1, 1, 5, 0, 0.2, 0]);
    const { initial } = states;
    const [theta, phi, radius] = [Math.PI / 2, initial.orbit.phi, initial.orbit.radius * 2];
    assert.deepEqual(
      roundCamera(states.texts),
      [theta, phi, radius, 0, 0.1, initial.target.z].map(round),
    );
    assert.deepEqual(states.reset, initial);
  });

  it('keep what fills the frame when the field of view changes', async (t) => {
    const { page, frame } = await open(t, createBoxGlb({ size: [1, 1, 0.01] }));
    const measure = async (fieldOfView: string) => {
      const camera = { orbit: '0deg 90deg', target: '0m 0m 0m', fieldOfView };
      await frame.evaluate(([camera, jump]) => exposedViewer.viewer.setCamera(camera, jump), [
        camera,
        JUMP,
      ] as const);
      await waitForStablePicture(page);
      const { left, right } = await findPixels(page, isGreen);
      const { orbit } = await frame.evaluate(() => exposedViewer.viewer.getCamera());
      return { width: right - left, radius: orbit.radius };
    };
    const [wide, narrow] = [await measure('60deg'), await measure('15deg')];
    // The fit is that of the default view, from above: perspective makes a small difference. The angle alone is one of 4.4.
    assert.ok(
      Math.abs(wide.width - narrow.width) < narrow.width * 0.15,
      `${wide.width}, ${narrow.width}`,
    );
    assert.ok(narrow.radius > wide.radius * 3, `${narrow.radius}, ${wide.radius}`);
  });

  it('move the camera until it arrives, or until another movement replaces this one', async (t) => {
    const { frame } = await open(t);
    const result = await frame.evaluate(async () => {
      const { viewer } = exposedViewer;
      const sources = new Set<string>();
      viewer.on('camerachange', ({ source }) => sources.add(source));
      const replaced = viewer.setCamera({ orbit: { theta: 3 } }, { durationMs: 20_000 });
      await viewer.setCamera({ orbit: { theta: 1 } }, { durationMs: 50 });
      await replaced;
      const arrived = (await viewer.getCamera()).orbit.theta;
      await viewer.setCamera({ orbit: { theta: 2 } });
      return { arrived, smooth: (await viewer.getCamera()).orbit.theta, sources: [...sources] };
    });
    assert.deepEqual(result, { arrived: 1, smooth: 2, sources: ['api'] });
  });

  it('resolve when a change is applied, before it is drawn', { timeout: 120_000 }, async (t) => {
    const { frame } = await open(t, createAnimatedBoxGlb({ variants: ['Pink'] }), {
      reducedMotion: 'reduce',
    });
    const { before, requested, camera } = await frame.evaluate(async (jump) => {
      const { viewer } = exposedViewer;
      const camera = { orbit: { theta: 1 } };
      // Loads the material and the script of setOptions.
      await viewer.setVariant('Pink');
      await viewer.setOptions({ exposure: 2 });
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const before = await viewer.getCamera();
      let requested = 0;
      // No frame is drawn any more.
      window.requestAnimationFrame = () => ++requested;
      await viewer.setVariant(null);
      await viewer.setOptions({ exposure: 1 });
      await viewer.setCamera(camera, jump);
      await viewer.resetCamera(jump);
      await viewer.frame(0, jump);
      await viewer.hideParts([0]);
      await viewer.isolateParts([0]);
      await viewer.setPartColor([0], '#ff0000');
      await viewer.resetParts();
      await viewer.selectAnimation('Spin');
      await viewer.seek(1);
      await viewer.play();
      await viewer.pause();
      await viewer.setCamera(camera, jump);
      return { before, requested, camera: await viewer.getCamera() };
    }, JUMP);
    assert.notEqual(before.orbit.theta, 1);
    assert.equal(camera.orbit.theta, 1);
    assert.ok(requested > 0);
  });

  it('do not wait for a movement that nobody can see, and jump if motion is reduced', async (t) => {
    const { page, frame } = await open(t, createBoxGlb(), { reducedMotion: 'reduce' });
    const move = (theta: number) =>
      frame.evaluate(async (theta) => {
        let frames = 0;
        const { viewer } = exposedViewer;
        using _ = viewer.on('camerachange', () => frames++);
        await viewer.setCamera({ orbit: { theta } }, { durationMs: 20_000 });
        return [(await viewer.getCamera()).orbit.theta, frames];
      }, theta);
    assert.deepEqual(await move(1), [1, 1]);
    await waitUntil('the frame is out of view', async () => {
      await page.evaluate(() => scrollTo(0, 2000));
      return frame.evaluate(() => globalThis.clochePageMember1?.inView === false);
    });
    assert.deepEqual(await move(2), [2, 1]);
  });

  it('list animations by unique names, play, pause and seek', async (t) => {
    const { page, frame, consoleErrors } = await open(
      t,
      createAnimatedBoxGlb({ animations: ['Spin', '', 'Spin'] }),
      { reducedMotion: 'reduce' },
    );
    const run = (source: string) =>
      frame.evaluate(`(async () => { const { viewer } = exposedViewer; ${source} })()`);
    assert.deepEqual(await run('return viewer.getAnimations()'), [
      { name: 'Spin', duration: 2 },
      { name: 'Animation 2', duration: 2 },
      { name: 'Spin (2)', duration: 2 },
    ]);
    await run("await viewer.selectAnimation('Spin (2)')");
    const paused = { name: 'Spin (2)', playing: false, time: 0.5, duration: 2 };
    await waitForPictureChange(page, () => run('await viewer.seek(0.5)'));
    assert.deepEqual(await run('return viewer.getAnimation()'), paused);
    await run('await viewer.seek(100)');
    assert.deepEqual(await run('return viewer.getAnimation()'), { ...paused, time: 2 });
    await run('await viewer.play(); await viewer.play(); await viewer.pause();');
    const events = await frame.evaluate(() => exposedViewer.events.map(([name]) => name));
    assert.deepEqual(
      events.filter((name) => name === 'play' || name === 'pause'),
      ['play', 'pause'],
    );
    assert.equal(await readCode(frame, "selectAnimation('Fly')"), 'viewer.unknown-animation');
    assert.equal(await readCode(frame, 'seek(-1)'), 'viewer.invalid-argument');
    assert.deepEqual(consoleErrors, []);
  });

  it('pause an animation before it plays by itself', async (t) => {
    const held = Promise.withResolvers<void>();
    const model = createAnimatedBoxGlb({ animations: ['Spin'] });
    const { frame } = await openViewer(t, {
      modelHandler: (response) => void held.promise.then(() => response.writeHead(200).end(model)),
    });
    await waitUntil('the viewer', () =>
      frame.evaluate(() => globalThis.exposedViewer !== undefined),
    );
    const paused = frame.evaluate(() => exposedViewer.viewer.pause());
    held.resolve();
    await paused;
    await waitForControls(frame);
    const { playing } = await frame.evaluate(async () => ({
      ...(await exposedViewer.viewer.getAnimation()),
    }));
    assert.equal(playing, false);
  });

  it('arrive at a view although the model rotates by itself', async (t) => {
    const options = { autoRotate: true, autoRotateDelay: 0, rotationPerSecond: '1deg' } as const;
    const { frame } = await openViewer(t, { model: createBoxGlb(), config: { options } });
    await frame.locator('#toolbar').waitFor({ state: 'visible' });
    await waitUntil('it rotates', () => frame.evaluate(() => exposedViewer.viewer.autoRotating));
    const theta = await frame.evaluate(async () => {
      const { viewer } = exposedViewer;
      await viewer.setCamera({ orbit: '120deg auto auto' }, { durationMs: 600 });
      return (await viewer.getCamera()).orbit.theta;
    });
    assert.ok(Math.abs(theta - (120 * Math.PI) / 180) < 0.2, `${theta}`);
  });

  it('select variants by name, also before a page knows them', async (t) => {
    const { page, frame } = await open(
      t,
      createAnimatedBoxGlb({ animations: [], variants: ['Pink', ''] }),
    );
    const isPink = (red: number, green: number, blue: number) =>
      red > 100 && green < red / 2 && blue > 60;
    const names = await frame.evaluate(() => exposedViewer.viewer.getVariants());
    assert.deepEqual(names, ['Pink', 'Variant 2']);
    await waitForPictureChange(page, () =>
      frame.evaluate(() => exposedViewer.viewer.setVariant('Pink')),
    );
    assert.ok((await findPixels(page, isPink)).count > 10_000);
    assert.equal(await frame.evaluate(() => exposedViewer.viewer.getVariant()), 'Pink');
    await frame.evaluate(() => exposedViewer.viewer.setVariant(null));
    assert.equal(await frame.evaluate(() => exposedViewer.viewer.getVariant()), null);
    assert.equal(await readCode(frame, "setVariant('Blue')"), 'viewer.unknown-variant');
    assert.equal(await readCode(frame, 'play()'), 'viewer.no-animation');
  });

  it('encode pictures in any size and type, without a change on the screen', async (t) => {
    const { page, frame } = await open(t);
    await waitForStablePicture(page);
    const before = (await readScreenPixels(page)).data;
    const picture = await takePicture(frame, { width: 900, height: 300 });
    assert.deepEqual([picture.width, picture.height, picture.type], [900, 300, 'image/png']);
    assert.ok(picture.green > 10_000 && picture.corner[3] === 255, JSON.stringify(picture));
    const tall = await takePicture(frame, { height: 600, type: 'image/jpeg', quality: 0.5 });
    assert.deepEqual([tall.width, tall.height, tall.type], [900, 600, 'image/jpeg']);
    await waitForStablePicture(page);
    assert.ok((await readScreenPixels(page)).data.equals(before));
    for (const options of ['{ width: 5000 }', '{ width: 1.5 }', "{ type: 'x' }", '{ quality: 2 }'])
      assert.equal(await readCode(frame, `toBlob(${options})`), 'viewer.invalid-argument');
  });

  it('encode pictures while the frame has no size, and the model is visible when it has one again', async (t) => {
    const { page, frame } = await open(t);
    await waitForStablePicture(page);
    const before = (await readScreenPixels(page)).data;
    const setHeight = (height: string) =>
      page.locator('iframe').evaluate((iframe, height) => {
        iframe.style.height = height;
      }, height);
    const readHeight = () => frame.evaluate(() => document.documentElement.clientHeight);
    await setHeight('0');
    await waitUntil('it has no height', async () => (await readHeight()) === 0);
    const picture = await takePicture(frame, { width: 300, height: 200 });
    assert.ok(picture.green > 1000, JSON.stringify(picture));
    await setHeight('');
    await waitUntil('it has a height', async () => (await readHeight()) > 0);
    await waitForStablePicture(page);
    assert.ok((await readScreenPixels(page)).data.equals(before));
  });

  it('encode pictures out of view, and with a transparent background', async (t) => {
    const { page, frame } = await open(t);
    await frame.evaluate(() => {
      document.documentElement.style.setProperty('--background-center', 'transparent');
      document.documentElement.style.setProperty('--background-edge', 'transparent');
    });
    await page.evaluate(() => scrollTo(0, 2000));
    await waitUntilOutOfView(frame);
    assert.ok(await frame.evaluate(() => globalThis.clochePageMember1?.release()));
    const picture = await takePicture(frame, {});
    assert.deepEqual([picture.width, picture.height], [300, 200]);
    assert.ok(picture.green > 1000 && picture.corner[3] === 0, JSON.stringify(picture));
  });

  it('encode pictures where documents share a context, each its own, and larger than the screen', async (t) => {
    const { page, server } = await open(t);
    await page.evaluate(
      ({ url, count }) => {
        document.body.style.height = 'auto';
        for (let index = 1; index < count; index++) {
          const frame = document.createElement('iframe');
          Object.assign(frame.style, {
            position: 'fixed',
            top: '0',
            width: '60px',
            height: '45px',
          });
          frame.src = `${url}?${index}`;
          document.body.append(frame);
        }
      },
      { url: server.frameUrl, count: FRAMES_WITH_SHARED_CONTEXT },
    );
    const shared = await waitUntil(
      'two documents share a context',
      async () => {
        const [, ...frames] = page.frames();
        const states = await Promise.all(
          frames.map((frame) =>
            frame
              .evaluate(() => ({
                isReady: document.documentElement.dataset.state === 'ready',
                held: globalThis.clochePageMember1?.held,
              }))
              .catch(() => undefined),
          ),
        );
        const isReady = states.every((state) => state?.isReady);
        const sharing = frames.filter((_, index) => states[index]?.held === 'shared');
        return isReady && sharing.length >= 2 && sharing;
      },
      { timeoutMs: 120_000 },
    );
    for (const [index, frame] of shared.entries()) {
      await frame.evaluate(
        (phi) => exposedViewer.viewer.setCamera({ orbit: { phi } }, { durationMs: 0 }),
        index === 0 ? 1 : 1.4,
      );
    }
    const pictures = await Promise.all(
      shared.map((frame) => takePicture(frame, { width: 800, height: 600 })),
    );
    for (const picture of pictures) {
      assert.deepEqual([picture.width, picture.height], [800, 600]);
      assert.ok(picture.green > 20_000, JSON.stringify(picture));
    }
    const [first, ...others] = pictures.map(({ green }) => green);
    assert.ok(
      others.every((green) => green !== first),
      `green pixels: ${[first, ...others]}`,
    );
  });
});

/** Calls a method that fails. Returns the code. */
function readCode(frame: Frame, call: string): Promise<unknown> {
  return frame.evaluate(`exposedViewer.viewer.${call}.then(() => 'no error', ({ code }) => code)`);
}

/** Takes a picture with `toBlob`, and decodes it. */
function takePicture(
  frame: Frame,
  options: { width?: number; height?: number; type?: 'image/jpeg'; quality?: number },
) {
  return frame.evaluate(async (options) => {
    const blob = await exposedViewer.viewer.toBlob(options);
    const { width, height } = await createImageBitmap(blob);
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context?.drawImage(await createImageBitmap(blob), 0, 0);
    const { data } = context?.getImageData(0, 0, width, height) ?? { data: [] };
    let green = 0;
    for (let index = 0; index < data.length; index += 4) {
      if ((data[index + 1] ?? 0) > 60 && (data[index] ?? 0) < 60) green++;
    }
    return { type: blob.type, width, height, green, corner: [...data.slice(0, 4)] };
  }, options);
}

const round = (value: number) => Math.round(value * 1e4) / 1e4 || 0;

type Camera = Awaited<ReturnType<typeof globalThis.exposedViewer.viewer.getCamera>>;
function roundCamera({ orbit, target }: Camera): number[] {
  return [...Object.values(orbit), ...Object.values(target)].map(round);
}
