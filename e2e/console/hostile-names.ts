import { makeGlb, makeUnpackedBox } from '@cloche/pipeline/testing/models';
import type { Frame, Page } from 'playwright-core';
import { waitUntil } from '../../scripts/wait-until.ts';

const RUN = "window.wasRun='x'";

/** A text that is run by a page which inserts it as HTML, script or template. Its letters are written from right to left. */
export const HOSTILE_FIELD = `<img src=x onerror="${RUN}">"><script>${RUN}</script>'--></title><svg onload=${RUN}>{{7*7}}\${7*7}\u05d0`;
/** The same with characters that the service accepts only in files: they reverse the text after them, or are not visible. */
export const HOSTILE_TEXT = `${HOSTILE_FIELD}\u202egpj\u2067\u200b`;
/** A file name has no slash, and 255 bytes at most. */
export const HOSTILE_FILE_NAME = `<img src=x onerror="${RUN}">'{{7*7}}\u202egpj\u200b.${'W'.repeat(120)}.glb`;

const LONG_NAME = 'W'.repeat(10_000);
const CONTROL_NAME = `bell\u0007 escape\u001b[31m line\n\r\u2028 null\u0000`;

/** Creates a GLB whose texts are all hostile. Its variants are the hostile text, a long one, and control characters. */
export function makeHostileNamesGlb(): Buffer {
  const { json, bin } = makeUnpackedBox({ textured: true, spinning: true });
  for (const list of ['scenes', 'nodes', 'meshes', 'materials', 'textures', 'samplers', 'images'])
    addTexts(json[list]);
  for (const list of ['animations', 'accessors', 'bufferViews', 'buffers']) addTexts(json[list]);
  const variants = [HOSTILE_TEXT, LONG_NAME, CONTROL_NAME].map((name) => ({ name }));
  const [mesh] = json.meshes as { primitives: object[] }[];
  const mappings = variants.map((_, index) => ({ material: 0, variants: [index] }));
  Object.assign(mesh?.primitives[0] ?? {}, {
    extensions: { KHR_materials_variants: { mappings } },
  });
  return makeGlb({
    json: {
      ...json,
      asset: { version: '2.0', generator: HOSTILE_TEXT, copyright: LONG_NAME },
      extensionsUsed: ['KHR_materials_variants'],
      extensions: { KHR_materials_variants: { variants } },
      cameras: [{ name: HOSTILE_TEXT, type: 'perspective', perspective: { yfov: 1, znear: 0.1 } }],
    },
    bin,
  });
}

/** An OBJ that causes a warning with the name of a file. */
export const HOSTILE_OBJ = Buffer.from(
  `mtllib <img src=x onerror=1>'{{7*7}}\u202egpj\u05d0.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n`,
);

function addTexts(list: unknown): void {
  for (const item of list as object[])
    Object.assign(item, { name: HOSTILE_TEXT, extras: { [HOSTILE_TEXT]: LONG_NAME } });
}

/** Records what the policies of all pages forbid, because a page has tried to run it. Call it before they are opened. */
export async function recordViolations(page: Page): Promise<string[]> {
  const violations: string[] = [];
  const context = page.context();
  await context.exposeFunction('recordViolation', (text: string) => violations.push(text));
  await context.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    recordViolation([event.violatedDirective, event.blockedURI, event.sample].join(' ')));`);
  return violations;
}

/** Lists what a hostile text has done to a page: it was run or parsed, is wider than the page, or reverses the text after it. */
export async function findEffects(page: Page): Promise<string[]> {
  const effects: string[] = [];
  for (const frame of page.frames()) {
    if (await wasRun(frame)) effects.push(`run: ${frame.url()}`);
  }
  const parsed = page.locator('[onerror], [onload], img[src="x"], body script');
  for (const element of await parsed.all())
    effects.push(`parsed: ${await element.evaluate(({ outerHTML }) => outerHTML.slice(0, 200))}`);
  const before = page.viewportSize() ?? { width: 1440, height: 900 };
  for (const width of [360, 1440]) {
    await page.setViewportSize({ ...before, width });
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (overflow > 0) effects.push(`${overflow} px wider than ${width} px`);
  }
  await page.setViewportSize(before);
  const title = await page.title();
  if (/[\u05d0\u202e]/.test(title) && !/\u2068[^\u2069]*\u2069/.test(title))
    effects.push(`not isolated: the title ${title.slice(0, 300)}`);
  return [...effects, ...(await page.evaluate(findReversed))];
}

/** Whether a hostile text was run in a frame, which may be loading. */
async function wasRun(frame: Frame): Promise<boolean> {
  const read = () => frame.evaluate('window.wasRun !== undefined').then(String);
  const answer = await waitUntil('a document can be read', () =>
    read().catch(() => (frame.isDetached() ? 'false' : undefined)),
  );
  return answer === 'true';
}

/** Lists the elements in which a text that reverses what follows is next to other text. Runs in the page. */
function findReversed(): string[] {
  const found: string[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  /** The inline element that isolates a text, or else the block around it. */
  const findAround = (element: HTMLElement | null) => {
    for (let around = element; around !== null; around = around.parentElement) {
      const { display, unicodeBidi } = getComputedStyle(around);
      if (display !== 'inline') return { around, isIsolating: false };
      if (/isolate|plaintext/.test(unicodeBidi)) return { around, isIsolating: true };
    }
  };
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.textContent ?? '';
    if (!/[\u05d0\u202e]/.test(text) || /\u2068[^\u2069]*\u2069/.test(text)) continue;
    const { around, isIsolating } = findAround(node.parentElement) ?? {};
    const isAlone = around?.textContent?.trim() === text.trim();
    if (!isIsolating && !isAlone) found.push(`not isolated: ${around?.outerHTML.slice(0, 400)}`);
  }
  return found;
}
