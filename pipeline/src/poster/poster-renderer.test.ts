import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import sharp from 'sharp';
import { waitUntil } from '../../../scripts/wait-until.ts';
import { makeBox, makeGlb, makeUnpackedBox } from '../../testing/models.ts';
import { ENDLESS_PAGE, openTestPoster, readViewerPage } from '../../testing/poster.ts';
import {
  findDescendants,
  findProcessesUsing,
  waitForProcessExit,
} from '../../testing/processes.ts';
import { openTemporaryDirectory } from '../../testing/temporary-directory.ts';
import { captureVisitorView } from '../../testing/visitor-screenshots.ts';
import { openSandbox } from '../sandbox/sandbox.ts';
import { openPosterRenderer } from './poster-renderer.ts';

const ENDLESS_POSTER_SCRIPT = join(import.meta.dirname, '../../testing/endless-poster-process.ts');
const HOSTILE_TEXT = '</script><img src=x onerror="document.title=1">{{viewerConfig}}\u2028\0';
const skipWithoutProc = !existsSync('/proc/self/stat');

/** Starts a local server that records all requests. */
async function openCanaryServer(t: TestContext) {
  const requestedUrls: string[] = [];
  const server = createServer(({ url }, response) => {
    requestedUrls.push(url ?? '');
    response.end();
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return {
    requestedUrls,
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}/x.png`,
  };
}

/** Magenta as the viewer shows it. */
const TONE_MAPPED_MAGENTA = [0xf2, 0x20, 0xf2];

const isShareImage = (kind: string) => kind.startsWith('poster-share');

describe('the poster renderer', () => {
  it('captures what visitors see, in all sizes, with the color of the background', async (t) => {
    const glb = makeBox({ textured: true, color: [0.8, 0.3, 0.1] });
    const { capture } = await openTestPoster(t);
    const { images, placeholder } = await capture(glb);
    const decoded = await Promise.all(images.map(({ bytes }) => sharp(bytes).metadata()));
    assert.deepEqual(
      decoded.map(({ format, width, height, hasAlpha }) => [format, width, height, hasAlpha]),
      images.map(({ kind, width, height }) =>
        isShareImage(kind) ? ['jpeg', width, height, false] : ['webp', width, height, true],
      ),
    );
    assert.deepEqual(
      images.map(({ kind, width, height }) => [kind, width, height]),
      [
        ['poster', 1280, 960],
        ['poster-small', 640, 480],
        ['poster-inline', 240, 180],
        ['poster-share', 1200, 630],
        ['poster-share-small', 480, 252],
      ],
    );
    assert.deepEqual(
      decoded.filter(({ format }) => format === 'webp').map(({ hasProfile }) => hasProfile),
      [false, false, false],
    );
    assert.ok((images[1]?.bytes.length ?? 0) < 30_000);
    assert.ok((images[2]?.bytes.length ?? 0) <= 2300);
    assert.equal(placeholder.background, '#dfe2e7');

    const visitorView = await captureVisitorView(t, glb, { width: 640, height: 480 });
    for (const { kind, bytes } of images.filter((image) => !isShareImage(image.kind))) {
      const poster = await sharp(bytes).resize(640, 480).png().toBuffer();
      const { modelPixels, meanDifference } = await comparePoster(poster, visitorView);
      assert.ok(modelPixels > 20_000, `${modelPixels} pixels of a model`);
      const limit = kind === 'poster-inline' ? 6 : 3;
      assert.ok(meanDifference < limit, `${kind}: the mean difference is ${meanDifference}`);
    }
  });

  it('captures what visitors see with the options of a design', async (t) => {
    const glb = makeBox({ textured: true, color: [0.8, 0.3, 0.1] });
    const options = { cameraOrbit: '60deg 40deg 130%', exposure: 1.5 };
    const { capture } = await openTestPoster(t);
    const { images } = await capture(glb, undefined, options);
    const poster = await sharp(images[1]?.bytes).png().toBuffer();
    const size = { width: 640, height: 480 };
    const visitorView = await captureVisitorView(t, glb, size, options);
    const { modelPixels, meanDifference } = await comparePoster(poster, visitorView);
    assert.ok(modelPixels > 10_000, `${modelPixels} pixels of a model`);
    assert.ok(meanDifference < 3, `the mean difference is ${meanDifference}`);
    const plain = await capture(glb);
    const plainPoster = await sharp(plain.images[1]?.bytes).png().toBuffer();
    assert.ok((await comparePoster(plainPoster, visitorView)).meanDifference > 20);
  });

  it('has transparent edges, so that nothing ends abruptly in a larger frame, except for links', async (t) => {
    const { capture } = await openTestPoster(t);
    const glb = makeBox({ color: [1, 0, 1], unlit: true });
    const { images } = await capture(glb, undefined, { cameraOrbit: '0deg 90deg 40%' });
    for (const { kind, bytes, width, height } of images) {
      const { data } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
      const alphaAt = (x: number, y: number) => data[(y * width + x) * 4 + 3] as number;
      const [middleX, middleY] = [width >> 1, height >> 1];
      const edges = [alphaAt(0, middleY), alphaAt(width - 1, middleY)];
      edges.push(alphaAt(middleX, 0), alphaAt(middleX, height - 1));
      const isVisible = isShareImage(kind);
      assert.ok(
        edges.every((alpha) => (isVisible ? alpha === 255 : alpha < 30)),
        `${kind}: the alpha of the edges is ${edges.join()}`,
      );
      assert.equal(alphaAt(middleX, middleY), 255, kind);
      const at = (middleY * width + (isVisible ? 0 : middleX)) * 4;
      const color = [...data.subarray(at, at + 3)];
      const isModel = color.every((c, i) => Math.abs(c - (TONE_MAPPED_MAGENTA[i] as number)) <= 8);
      assert.ok(isModel, `${kind}: the color is ${color.join()}`);
    }
  });

  it('captures the pictures for the previews of links on the background of visitors', async (t) => {
    const glb = makeBox({ color: [1, 0, 1], unlit: true });
    const { capture } = await openTestPoster(t);
    const { images } = await capture(glb);
    for (const { bytes, width, height } of images.filter(({ kind }) => isShareImage(kind))) {
      assert.ok(bytes.length < 100_000, `${bytes.length} bytes`);
      const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
      const isColor = (offset: number, color: readonly number[]) =>
        color.every((value, channel) => Math.abs((data[offset + channel] ?? 0) - value) <= 8);
      assert.ok(isColor(0, [0xdf, 0xe2, 0xe7]), `the corner is ${data.subarray(0, 3).join()}`);
      let modelPixels = 0;
      for (let offset = 0; offset < data.length; offset += info.channels) {
        if (isColor(offset, TONE_MAPPED_MAGENTA)) modelPixels += 1;
      }
      const share = modelPixels / (width * height);
      assert.ok(share > 0.1 && share < 0.5, `the model covers ${share} of the picture`);
    }
  });

  it('draws points and lines a pixel wide in the small poster too, and does not scale them down', async (t) => {
    const { capture } = await openTestPoster(t);
    const [points, lines] = [0, 1];
    for (const mode of [points, lines]) {
      const { json, bin } = makeUnpackedBox({ color: [1, 0, 1], unlit: true });
      const [mesh] = json.meshes as { primitives: { mode?: number }[] }[];
      for (const primitive of mesh?.primitives ?? []) primitive.mode = mode;
      const { images } = await capture(makeGlb({ json, bin }), undefined, { shadowIntensity: 0 });
      const [large = 0, small = 0] = await Promise.all(
        ['poster', 'poster-small'].map(async (name) => {
          const { bytes } = images.find(({ kind }) => kind === name) ?? assert.fail(name);
          const alpha = await sharp(bytes).extractChannel('alpha').raw().toBuffer();
          return alpha.reduce((sum, value) => sum + value, 0) / 255;
        }),
      );
      assert.ok(large > 4, `${large} pixels`);
      // Of a line, half as many. Scaled down, each would be a quarter.
      const least = (mode === points ? 0.7 : 0.4) * large;
      assert.ok(small > least, `mode ${mode}: ${small} pixels of ${large}`);
    }
  });

  it('waits for a page whose root element is parsed late', async (t) => {
    const render = () =>
      `<!doctype html><!--${' '.repeat(4_000_000)}--><html data-state="ready" data-background="#ffffff">`;
    const viewer = { render, contentSecurityPolicy: '', assets: new Map() };
    const { capture } = await openTestPoster(t, { viewer });
    const { hasOneColor } = await capture(makeBox());
    assert.ok(hasOneColor);
  });

  it('scales the inline poster down until it has at most 2300 bytes', async (t) => {
    const render = () => `<!doctype html><html data-state="ready" data-background="#ffffff">
      <style>body{margin:0}canvas{width:100vw;height:100vh}</style><canvas></canvas><script>
        const canvas = document.querySelector('canvas');
        Object.assign(canvas, { width: 640, height: 480 });
        const pixels = new ImageData(640, 480);
        let seed = 1;
        for (let i = 0; i < pixels.data.length; i++)
          pixels.data[i] = (seed = (seed * 48271) % 2147483647) & 255;
        canvas.getContext('2d').putImageData(pixels, 0, 0);
      </script>`;
    const viewer = { render, contentSecurityPolicy: '', assets: new Map() };
    const { capture } = await openTestPoster(t, { viewer });
    const { images } = await capture(makeBox());
    const inline = images.find(({ kind }) => kind === 'poster-inline');
    assert.ok(inline !== undefined && inline.bytes.length <= 2300, `${inline?.bytes.length} bytes`);
    assert.ok(inline.width >= 80 && inline.width < 240, `${inline.width} pixels`);
  });

  it('renders the same poster for a file that contains hostile texts', async (t) => {
    const { capture } = await openTestPoster(t);
    const plain = await capture(makeBox());
    const box = makeUnpackedBox({ name: HOSTILE_TEXT });
    Object.assign(box.json, {
      asset: { version: '2.0', generator: HOSTILE_TEXT, copyright: HOSTILE_TEXT },
      extras: { [HOSTILE_TEXT]: HOSTILE_TEXT },
    });
    const hostile = await capture(makeGlb(box));
    assert.deepEqual(hostile.placeholder, plain.placeholder);
    for (const [index, { bytes }] of plain.images.entries()) {
      assert.ok(Buffer.from(bytes).equals(hostile.images[index]?.bytes ?? Buffer.alloc(0)));
    }
  });

  it('gives the page no access to the network', async (t) => {
    const { requestedUrls, url } = await openCanaryServer(t);
    const render = () => `<!doctype html><html data-state="loading"><p id="error">tried</p>
      <link rel="preconnect" href="${url}"><link rel="prefetch" href="${url}">
      <img src="${url}"><iframe src="${url}"></iframe><script>
        const socket = new WebSocket('${url.replace('http', 'ws')}');
        const closed = new Promise((resolve) => { socket.onclose = resolve; });
        const code = "fetch('${url}')";
        const worker = new Worker(URL.createObjectURL(new Blob([code])));
        open('${url}');
        navigator.sendBeacon('${url}');
        const fetched = fetch('${url}', { mode: 'no-cors' }).catch(() => undefined);
        Promise.all([closed, fetched, new Promise((resolve) => setTimeout(resolve, 300))])
          .then(() => { document.documentElement.dataset.state = 'failed'; });
      </script>`;
    const viewer = { render, contentSecurityPolicy: '', assets: new Map() };
    const { capture } = await openTestPoster(t, { viewer });
    await assert.rejects(capture(makeBox()), /The viewer failed: tried/);
    assert.deepEqual(requestedUrls, []);
  });

  it('rejects on timeout and closes the browser', { skip: skipWithoutProc }, async (t) => {
    const { profileDirectory, capture } = await openTestPoster(t, {
      viewer: ENDLESS_PAGE,
      timeoutMs: 1500,
    });
    await assert.rejects(capture(makeBox()), /not rendered within 1.5 s/);
    // What was killed may end a moment later.
    await waitUntil(
      'no process is left',
      async () => (await findProcessesUsing(profileDirectory)).length === 0,
    );
    assert.deepEqual(await readdir(profileDirectory), []);
  });

  it('rejects on abort, then renders the next poster with a new browser', {
    skip: skipWithoutProc,
  }, async (t) => {
    const realViewer = await readViewerPage();
    let render = ENDLESS_PAGE.render;
    const viewer = {
      ...realViewer,
      contentSecurityPolicy: '',
      render: (config: ViewerConfig) => render(config),
    };
    const { profileDirectory, capture } = await openTestPoster(t, { viewer, idleMs: 10 });
    const controller = new AbortController();
    const aborted = assert.rejects(capture(makeBox(), controller.signal), /no longer needed/);
    const pids = await findBrowserPids(t, profileDirectory);
    render = realViewer.render;
    const next = capture(makeBox());
    controller.abort(new Error('no longer needed'));
    await aborted;
    for (const pid of pids) await waitForProcessExit(t, pid);
    assert.equal((await next).images.length, 5);
    // The browser is closed when idle, and launched again.
    while ((await readdir(profileDirectory)).length > 0)
      await wait(10, undefined, { signal: t.signal });
    assert.equal((await capture(makeBox())).images.length, 5);
  });

  it('launches the browser early, for the next poster', { skip: skipWithoutProc }, async (t) => {
    const { renderer, profileDirectory, capture } = await openTestPoster(t);
    renderer.launch?.(new AbortController().signal);
    const findBrowser = () =>
      findProcessesUsing(profileDirectory).find(({ command }) =>
        command.includes('--remote-debugging-pipe'),
      );
    while (findBrowser() === undefined) await wait(10, undefined, { signal: t.signal });
    const early = findBrowser();
    await capture(makeBox());
    assert.equal(findBrowser()?.pid, early?.pid);
  });

  it('leaves no browser behind when the service is killed', {
    skip: skipWithoutProc,
  }, async (t) => {
    const directory = await openTemporaryDirectory(t);
    const env = { PATH: process.env.PATH, CLOCHE_CHROMIUM: process.env.CLOCHE_CHROMIUM };
    const child = spawn(process.execPath, [ENDLESS_POSTER_SCRIPT, directory], {
      stdio: 'inherit',
      env,
    });
    t.after(() => child.kill('SIGKILL'));
    const pids = await findBrowserPids(t, directory);
    child.kill('SIGKILL');
    for (const pid of pids) await waitForProcessExit(t, pid);
  });
});

describe('without a browser', async () => {
  const warnings: string[] = [];
  const options = {
    isolation: (await openSandbox()).isolation,
    viewer: ENDLESS_PAGE,
    profileDirectory: '/nowhere',
    log: { warn: (_: object, message: string) => warnings.push(message) },
  };

  it('there are no posters, and one warning is logged', async () => {
    const findBrowsers = async () => [];
    assert.equal(
      await openPosterRenderer({ ...options, browser: { kind: 'auto' }, findBrowsers }),
      undefined,
    );
    assert.match(warnings.join(), /^no browser found/);
  });

  it('there are no posters and no warning if the option is none', async () => {
    warnings.length = 0;
    assert.equal(await openPosterRenderer({ ...options, browser: { kind: 'none' } }), undefined);
    assert.deepEqual(warnings, []);
  });
});

/** Waits for the browser with a profile in `directory` to open a page; returns all its process ids. */
async function findBrowserPids(t: TestContext, directory: string): Promise<number[]> {
  for (;;) {
    t.signal.throwIfAborted();
    const [browser] = (await findProcessesUsing(directory)).filter(({ command }) =>
      command.includes('--remote-debugging-pipe'),
    );
    const descendants = browser === undefined ? [] : await findDescendants(browser.pid);
    if (
      browser !== undefined &&
      descendants.some(({ command }) => command.includes('type=renderer'))
    ) {
      return [browser, ...descendants].map(({ pid }) => pid);
    }
    await wait(10);
  }
}

/** Composites a poster on the frame without the model, and compares it with the visitor's view. */
async function comparePoster(
  poster: Buffer,
  { withModel, withoutModel }: { withModel: Buffer; withoutModel: Buffer },
) {
  const composite = await sharp(withoutModel)
    .composite([{ input: poster }])
    .toBuffer();
  const [alpha, actual, expected] = await Promise.all([
    sharp(poster).extractChannel('alpha').raw().toBuffer(),
    sharp(composite).removeAlpha().raw().toBuffer(),
    sharp(withModel).removeAlpha().raw().toBuffer(),
  ]);
  let [modelPixels, sum] = [0, 0];
  for (const [pixel, opacity] of alpha.entries()) {
    if (opacity === 0) continue;
    modelPixels += 1;
    for (let index = pixel * 3; index < pixel * 3 + 3; index++) {
      sum += Math.abs((actual[index] ?? 0) - (expected[index] ?? 0)) / 3;
    }
  }
  return { modelPixels, meanDifference: sum / modelPixels };
}
