import { once } from 'node:events';
import { buildViewer } from '../scripts/viewer.ts';
import { follow } from './follow.ts';
import { servePage } from './pages.ts';
import { findPort } from './ports.ts';
import { makeSample } from './sample/sample.ts';
import { address, heading, note, say } from './say.ts';
import { startService } from './service.ts';
import { makeEmbed, tryYourOwn, upload } from './steps.ts';

const NAME = 'Succulent under glass';

// Listened for from the first moment, so that Ctrl+C is orderly at any time. A terminal that is closed
// and a reader that has read enough mean the same.
const stopped = Promise.race([
  once(process, 'SIGINT'),
  once(process, 'SIGTERM'),
  once(process, 'SIGHUP'),
  unheard(),
]);

say('Cloche: a design on other people’s pages, and nowhere else.');
await buildViewer({ onlyIfChanged: true });

const ports = {
  service: await findPort(8787, 'the service'),
  shop: await findPort(8788, 'the shop’s page'),
  foreign: await findPort(8789, 'the foreign page'),
};
{
  await using service = await startService(ports.service);
  note(
    `The service answers at ${service.origin}; its database and files are in ${service.folder}.`,
  );

  const shop = `http://localhost:${ports.shop}`;
  const foreign = `http://127.0.0.1:${ports.foreign}`;
  const uri = await upload(service, makeSample(), NAME);
  const html = await makeEmbed(service, uri, shop);
  const slots = { embed: html, shop, foreign };
  await using _shop = await servePage('shop.html', slots, { port: ports.shop, host: 'localhost' });
  await using _foreign = await servePage('foreign.html', slots, {
    port: ports.foreign,
    host: '127.0.0.1',
  });

  heading('Open these in a browser');
  address('The design, on the page the token was made for:', shop);
  address('The same HTML on a page that is not on the list:', foreign);
  address('The API, to read and try:', `${service.origin}/docs/api`);
  heading('Your own file, in another terminal');
  note(tryYourOwn(service));
  say('\nStop with Ctrl+C.');
  const leaving = new AbortController();
  void stopped.then(() => leaving.abort());
  await follow(service, uri, leaving.signal).catch((error) => {
    if (!leaving.signal.aborted) throw error;
  });
  await stopped;
  say('\nStopping; the folder of the demo is removed.');
}

/** When nobody reads any more what is said. */
async function unheard(): Promise<void> {
  await new Promise((resolve) => process.stdout.on('error', resolve));
}
