import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
import { measureBrowserMemory } from '../../e2e/browser-memory.ts';
import { CHROMIUM_ARGUMENTS, createTrustArgument, findChromium } from '../../e2e/chromium.ts';

/** The size of the page, which the iframe fills. */
export const VIEWPORT = { width: 800, height: 600 };
/** Not the site of the host page, which sends the same empty page. */
const EMPTY_SITE = { hostname: 'empty.test' };
/** After it, a new page uses no CPU. */
const IDLE_MS = 1000;

/** A browser with an empty profile on the disk: the second and third visit use its caches, as a visitor's do. */
export class BenchBrowser implements AsyncDisposable {
  readonly context: BrowserContext;
  readonly #profileFolder: string;

  private constructor(context: BrowserContext, profileFolder: string) {
    this.context = context;
    this.#profileFolder = profileFolder;
  }

  /** Starts the browser, and its GPU process. `certificate` is trusted, so that responses are cached. */
  static async launch(certificate: string, viewport = VIEWPORT): Promise<BenchBrowser> {
    const profileFolder = await mkdtemp(join(tmpdir(), 'cloche-bench-profile-'));
    const context = await chromium.launchPersistentContext(profileFolder, {
      executablePath: await findChromium(),
      args: [
        ...CHROMIUM_ARGUMENTS,
        // As in Chrome on a desktop: without it, a page of another site in an iframe has no process of its own.
        '--site-per-process',
        createTrustArgument({ cert: certificate }),
      ],
      viewport,
      // Animations have no final picture.
      reducedMotion: 'reduce',
    });
    return new BenchBrowser(context, profileFolder);
  }

  /**
   * Uses WebGL once, so that the GPU process runs as in a browser in use. Returns the memory with an iframe
   * that contains an empty page of another site.
   */
  async warmUp(pageUrl: string): Promise<number | undefined> {
    const page = await this.context.newPage();
    await page.goto(pageUrl);
    await page.evaluate(drawWithWebGl);
    await page.close();
    const empty = await this.context.newPage();
    await empty.goto(pageUrl);
    await empty.evaluate(insertEmptyFrame, Object.assign(new URL(pageUrl), EMPTY_SITE).href);
    await empty.waitForTimeout(IDLE_MS);
    const bytes = await this.measureMemory();
    await empty.close();
    return bytes;
  }

  /** The memory of all its processes in bytes, without pages of files; undefined except on Linux. */
  async measureMemory(): Promise<number | undefined> {
    const browser = this.context.browser();
    return browser === null ? undefined : measureBrowserMemory(browser);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
    await rm(this.#profileFolder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs in the page. */
function drawWithWebGl(): void {
  const gl = document.createElement('canvas').getContext('webgl2');
  if (gl === null) throw new Error('The browser has no WebGL 2.');
  gl.clear(gl.COLOR_BUFFER_BIT);
  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
}

/** Runs in the page. */
async function insertEmptyFrame(src: string): Promise<void> {
  const frame = document.createElement('iframe');
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
  document.body.append(Object.assign(frame, { src, width: 800, height: 600 }));
  await loaded;
}
