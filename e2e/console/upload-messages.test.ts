import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { openSandbox } from '@cloche/pipeline/sandbox/sandbox';
import { makeBox, makeUnpackedBox } from '@cloche/pipeline/testing/models';
import { openTemporaryDirectory } from '@cloche/pipeline/testing/temporary-directory';
import type { Page } from 'playwright-core';
import { assertPageFits } from './assert-page-fits.ts';
import { openConsole } from './open-console.ts';

const OBJ = `mtllib <b>chair.mtl
v 0 0 0
v 1 0 0
v 0 1 0
usemtl oak
f 1 2 3
`;
const MTL = 'newmtl oak\nKd 1 1 1\nmap_Kd oak.png\n';

/** What each file lacks, in the words that are expected, and the advice. */
const REJECTIONS: [name: string, content: string | Buffer, message: RegExp, advice: RegExp][] = [
  ['empty.glb', '', /The file is empty/, /exported and copied completely/],
  ['poem.txt', 'A poem.', /Cloche supports GLB/, /Export the model as GLB/],
  [
    'box.gltf',
    makeGltfWithFile('parts/<img src=x>.bin'),
    /needs the file "parts\/<img src=x>.bin", which was not uploaded/,
    /drop all of them together/,
  ],
  [
    'broken.zip',
    'PK\u0003\u0004 and then nothing of a zip',
    /archive is damaged/,
    /Pack the model/,
  ],
  ['cut.glb', makeBox().subarray(0, 200), /\S/, /export it again/],
];

/** A glTF whose buffer is in another file. */
function makeGltfWithFile(uri: string): string {
  const { json } = makeUnpackedBox();
  const [buffer] = json.buffers as object[];
  return JSON.stringify({ ...json, buffers: [{ ...buffer, uri }] });
}

async function uploadFiles(t: TestContext, page: Page, files: Record<string, string | Buffer>) {
  const folder = await openTemporaryDirectory(t);
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const paths = Object.keys(files).map((name) => join(folder, name));
  await page.locator('input[aria-label="Upload files"]').setInputFiles(paths);
}

const getRow = (page: Page, name: string) => page.locator('.upload-row').filter({ hasText: name });

async function takeScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.CLOCHE_SCREENSHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
}

describe('what the console says about files that are processed for real', () => {
  for (const [width, colorScheme] of [
    [360, 'dark'],
    [1440, 'light'],
  ] as const) {
    it(`${width} px: says why a file is not accepted, and what to do`, async (t) => {
      const modelProcessor = await openSandbox();
      const processing = { modelProcessor };
      const { page, errors } = await openConsole(t, { processing }, { width, colorScheme });
      for (const [name, content, message, advice] of REJECTIONS) {
        await uploadFiles(t, page, { [name]: content });
        const row = getRow(page, name);
        await row.getByRole('alert').filter({ hasText: message }).waitFor();
        await row.locator('.hint').filter({ hasText: advice }).waitFor();
        await takeScreenshot(page, `upload-${name}-${width}`);
      }
      const count = REJECTIONS.length;
      await page.getByText(`${count} of ${count} uploads finished, ${count} failed`).waitFor();
      await assertPageFits(page, 'files that are not accepted');
      assert.deepEqual(errors, []);
    });

    it(`${width} px: names the files that a model lacks, also when it can be shown`, async (t) => {
      const modelProcessor = await openSandbox();
      const processing = { modelProcessor };
      const { page, errors } = await openConsole(t, { processing }, { width, colorScheme });
      await uploadFiles(t, page, { 'chair.obj': OBJ });
      const chair = getRow(page, 'chair.obj');
      await chair.getByText('Ready, but files are missing').waitFor();
      await chair.getByText('The materials in "<b>chair.mtl" were not uploaded').waitFor();
      await chair.getByText('Drop the model and these files together').waitFor();
      await uploadFiles(t, page, {
        'stool.obj': OBJ.replace('<b>chair', 'stool'),
        'stool.mtl': MTL,
      });
      const stool = getRow(page, 'stool.obj');
      await stool.getByText('The texture "oak.png" was not uploaded').waitFor();
      assert.equal(await stool.getByText('The materials in').count(), 0);
      await assertPageFits(page, 'models without some of their files');
      await takeScreenshot(page, `upload-missing-${width}`);
      assert.deepEqual(errors, []);
    });
  }

  it('says how large a file may be', async (t) => {
    const { page, errors } = await openConsole(t, { maxUploadBytes: 1024 * 1024 });
    await uploadFiles(t, page, { 'large.glb': Buffer.alloc(1024 * 1024 + 1) });
    const row = getRow(page, 'large.glb');
    await row.getByText('The file is larger than 1 MB.').waitFor();
    await row.getByText('Reduce the size of the textures').waitFor();
    await takeScreenshot(page, 'upload-large');
    assert.deepEqual(errors, []);
  });
});
