import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildWorkspaces } from '../scripts/build-workspaces.ts';
import { startDemoServiceNear } from './demo-service.ts';
import { servePage } from './serve-page.ts';
import { printHeading, printLine, printLink, printNote } from './terminal.ts';
import { createEmbedHtml, uploadDesign } from './walkthrough.ts';
import { watchProgress } from './watch-progress.ts';

const DESIGN_NAME = 'Succulent under glass';
/** The sample design, 0.25 m tall. `demo/sample/` at commit f9ed63f has the code that generated it. */
const SAMPLE = join(import.meta.dirname, 'sample.glb');

// Registered first, so that the demo always cleans up after Ctrl+C, and after its terminal or its
// output was closed.
const stopped = Promise.race([
  once(process, 'SIGINT'),
  once(process, 'SIGTERM'),
  once(process, 'SIGHUP'),
  waitUntilStdoutCloses(),
]);

printLine('Cloche demo: a 3D design that is shown on a listed page, and on no other page.');
await buildWorkspaces({ onlyIfChanged: true });

{
  await using shopPage = await servePage('shop.html', {
    host: 'localhost',
    preferredPort: 8788,
    purpose: 'the shop page',
  });
  await using unlistedPage = await servePage('unlisted.html', {
    host: '127.0.0.1',
    preferredPort: 8789,
    purpose: 'the unlisted page',
  });
  await using service = await startDemoServiceNear(8787);
  printNote(
    `The service runs at ${service.origin}. Its database and files are in ${service.folder}.`,
  );

  const { origin: shop } = shopPage;
  const { origin: unlisted } = unlistedPage;
  const uri = await uploadDesign(service, await readFile(SAMPLE), DESIGN_NAME);
  const html = await createEmbedHtml(service, uri, shop);
  const examples = `${service.origin}/docs/examples`;
  const values = { embed: html, shop, unlisted, examples };
  shopPage.show(values);
  unlistedPage.show(values);

  printHeading('Open these pages in a browser');
  printLink('Shop page, which the token lists (shows the design):', shop);
  printLink('Unlisted page with the same HTML (shows no design):', unlisted);
  printLink('Examples of pages, to copy and change:', examples);
  printLink('API documentation, to read and try:', `${service.origin}/docs/api`);
  printHeading('To upload a file of your own, open the console and paste the token');
  printLink('Console:', `${service.origin}/console`);
  printLink('Command that prints the token:', `cat ${service.tokenFile}`);
  printLine('\nPress Ctrl+C to stop.');
  const abort = new AbortController();
  void stopped.then(() => abort.abort());
  await watchProgress(service, uri, abort.signal).catch((error) => {
    if (!abort.signal.aborted) throw error;
  });
  await stopped;
  printLine('\nStopping. The files of the demo are removed.');
}

/** Resolves when standard output can no longer be written to. */
async function waitUntilStdoutCloses(): Promise<void> {
  await new Promise((resolve) => process.stdout.on('error', resolve));
}
