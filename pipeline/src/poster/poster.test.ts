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
import { findDescendants, findProcessesUsing } from '../../../e2e/processes.ts';
import { openTestServer } from '../../../server/testing/harness.ts';
import { uploadTestDesign } from '../../../server/testing/requests.ts';
import { makeBox, makeGlb, makeUnpackedBox } from '../../testing/models.ts';
import { ENDLESS_PAGE, openTestPoster, readViewerPage } from '../../testing/poster.ts';
import { waitForProcessExit } from '../../testing/processes.ts';
import { openTemporaryDirectory } from '../../testing/temporary-directory.ts';
import { captureVisitorView } from '../../testing/visitor-screenshots.ts';
import { openPosterRenderer } from './poster-renderer.ts';

const HOLDER_SCRIPT = join(import.meta.dirname, '../../testing/endless-poster-process.ts');
const HOSTILE = '</script><img src=x onerror="document.title=1">{{framed}}\u2028\0';
const skipWithoutProc = !existsSync('/proc/self/stat');

/** An address of this machine, and all who asked there. */
async function openCanary(t: TestContext) {
  const asked: string[] = [];
  const server = createServer(({ url }, response) => {
    asked.push(url ?? '');
    response.end();
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return {
    asked,
    address: `http://127.0.0.1:${(server.address() as { port: number }).port}/x.png`,
  };
}

describe('the picture of a design', () => {
  it('is what visitors see, in two sizes, with what fills the frame before', async (t) => {
    const glb = makeBox({ textured: true, colour: [0.8, 0.3, 0.1] });
    const { take } = await openTestPoster(t);
    const { pictures, look } = await take(glb);
    const [large, small] = await Promise.all(pictures.map(({ bytes }) => sharp(bytes).metadata()));
    assert.deepEqual([large?.format, large?.width, large?.height], ['webp', 1280, 960]);
    assert.deepEqual([small?.format, small?.width, small?.height], ['webp', 640, 480]);
    assert.deepEqual(
      pictures.map(({ kind, width, height }) => [kind, width, height]),
      [
        ['poster', 1280, 960],
        ['poster-small', 640, 480],
      ],
    );
    assert.ok((pictures[1]?.bytes.length ?? 0) < 30_000);
    assert.equal(look.background, '#dfe2e7');
    const hash = Buffer.from(look.thumbHash ?? '', 'base64');
    assert.ok(hash.length >= 20 && hash.length <= 40, `${hash.length} bytes`);

    const { seen, bare } = await captureVisitorView(t, glb, { width: 640, height: 480 });
    for (const { bytes } of pictures) {
      const picture = await sharp(bytes).resize(640, 480).png().toBuffer();
      const { solid, off } = await compareImages(picture, seen, bare);
      assert.ok(solid > 20_000, `${solid} pixels of a model`);
      assert.ok(off < 3, `they differ by ${off} in the mean`);
    }
  });

  it('of a file with hostile words is the picture of the same file without', async (t) => {
    const { take } = await openTestPoster(t);
    const plain = await take(makeBox());
    const box = makeUnpackedBox({ name: HOSTILE });
    Object.assign(box.json, {
      asset: { version: '2.0', generator: HOSTILE, copyright: HOSTILE },
      extras: { [HOSTILE]: HOSTILE },
    });
    const hostile = await take(makeGlb(box));
    assert.deepEqual(hostile.look, plain.look);
    for (const [index, { bytes }] of plain.pictures.entries()) {
      assert.ok(Buffer.from(bytes).equals(hostile.pictures[index]?.bytes ?? Buffer.alloc(0)));
    }
  });

  it('is taken where nothing outside can be reached, whatever the page asks for', async (t) => {
    const { asked, address } = await openCanary(t);
    const fill = () => `<!doctype html><html data-state="loading"><p id="failure">tried</p>
      <link rel="preconnect" href="${address}"><link rel="prefetch" href="${address}">
      <img src="${address}"><iframe src="${address}"></iframe><script>
        const socket = new WebSocket('${address.replace('http', 'ws')}');
        const closed = new Promise((resolve) => { socket.onclose = resolve; });
        const code = "fetch('${address}')";
        const worker = new Worker(URL.createObjectURL(new Blob([code])));
        open('${address}');
        navigator.sendBeacon('${address}');
        const fetched = fetch('${address}', { mode: 'no-cors' }).catch(() => undefined);
        Promise.all([closed, fetched, new Promise((resolve) => setTimeout(resolve, 300))])
          .then(() => { document.documentElement.dataset.state = 'failed'; });
      </script>`;
    const viewer = { render: fill, contentSecurityPolicy: '', assets: new Map() };
    const { take } = await openTestPoster(t, { viewer });
    await assert.rejects(take(makeBox()), /The viewer says: tried/);
    assert.deepEqual(asked, []);
  });

  it('that never comes is not waited for', { skip: skipWithoutProc }, async (t) => {
    const { profileDirectory: folder, take } = await openTestPoster(t, {
      viewer: ENDLESS_PAGE,
      timeoutMs: 1500,
    });
    await assert.rejects(take(makeBox()), /not there after 1.5 s/);
    assert.deepEqual(await findProcessesUsing(folder), []);
    assert.deepEqual(await readdir(folder), []);
  });

  it('that is not wanted any more is not waited for; the next one comes', {
    skip: skipWithoutProc,
  }, async (t) => {
    const real = await readViewerPage();
    let fill = ENDLESS_PAGE.render;
    const viewer = {
      ...real,
      contentSecurityPolicy: '',
      render: (framed: ViewerConfig) => fill(framed),
    };
    const { profileDirectory: folder, take } = await openTestPoster(t, { viewer, idleMs: 10 });
    const abort = new AbortController();
    const dropped = assert.rejects(take(makeBox(), abort.signal), /not wanted/);
    const pids = await findBrowserPids(t, folder);
    fill = real.render;
    const waiting = take(makeBox());
    abort.abort(new Error('not wanted'));
    await dropped;
    for (const pid of pids) await waitForProcessExit(t, pid);
    assert.equal((await waiting).pictures.length, 2);
    // Ended when it idles, and started again.
    while ((await readdir(folder)).length > 0) await wait(10, undefined, { signal: t.signal });
    assert.equal((await take(makeBox())).pictures.length, 2);
  });

  it('leaves no browser behind when the service is killed', {
    skip: skipWithoutProc,
  }, async (t) => {
    const folder = await openTemporaryDirectory(t);
    const env = { PATH: process.env.PATH, CLOCHE_CHROMIUM: process.env.CLOCHE_CHROMIUM };
    const holder = spawn(process.execPath, [HOLDER_SCRIPT, folder], { stdio: 'inherit', env });
    t.after(() => holder.kill('SIGKILL'));
    const pids = await findBrowserPids(t, folder);
    holder.kill('SIGKILL');
    for (const pid of pids) await waitForProcessExit(t, pid);
  });
});

describe('without a browser', () => {
  const log: string[] = [];
  const options = {
    viewer: ENDLESS_PAGE,
    profileDirectory: '/nowhere',
    log: { warn: (_: object, message: string) => log.push(message) },
  };

  it('there is no poster, and one line says so', async () => {
    const findBrowsers = async () => [];
    assert.equal(
      await openPosterRenderer({ ...options, browser: { kind: 'found' }, findBrowsers }),
      undefined,
    );
    assert.match(log.join(), /^there is no browser/);
  });

  it('there is no poster, and no line, where none is wanted', async () => {
    log.length = 0;
    assert.equal(await openPosterRenderer({ ...options, browser: { kind: 'none' } }), undefined);
    assert.deepEqual(log, []);
  });

  it('a design is ready all the same, with a warning', async (t) => {
    const { poster } = await openTestPoster(t, { browser: { kind: 'named', path: '/bin/false' } });
    const service = await openTestServer(t, { processing: { poster } });
    const { status, report } = await uploadTestDesign(service);
    assert.equal(status, 'ready');
    assert.deepEqual(
      report?.warnings.map(({ code }) => code),
      ['poster.failed'],
    );
    assert.match(service.logLines.join(), /No browser starts/);
  });
});

/** The processes of the browser that draws in a folder, once it has a page. */
async function findBrowserPids(t: TestContext, folder: string): Promise<number[]> {
  for (;;) {
    t.signal.throwIfAborted();
    const [browser] = (await findProcessesUsing(folder)).filter(({ command }) =>
      command.includes('--remote-debugging-pipe'),
    );
    const below = browser === undefined ? [] : await findDescendants(browser.pid);
    if (browser !== undefined && below.some(({ command }) => command.includes('type=renderer'))) {
      return [browser, ...below].map(({ pid }) => pid);
    }
    await wait(10);
  }
}

/** How far a picture that lies on the bare frame is from what was seen there, where it has a model. */
async function compareImages(picture: Buffer, seen: Buffer, bare: Buffer) {
  const laid = await sharp(bare)
    .composite([{ input: picture }])
    .toBuffer();
  const [alpha, ours, theirs] = await Promise.all([
    sharp(picture).extractChannel('alpha').raw().toBuffer(),
    sharp(laid).removeAlpha().raw().toBuffer(),
    sharp(seen).removeAlpha().raw().toBuffer(),
  ]);
  let [solid, sum] = [0, 0];
  for (const [pixel, opacity] of alpha.entries()) {
    if (opacity === 0) continue;
    solid += 1;
    for (let at = pixel * 3; at < pixel * 3 + 3; at++) {
      sum += Math.abs((ours[at] ?? 0) - (theirs[at] ?? 0)) / 3;
    }
  }
  return { solid, off: sum / solid };
}
