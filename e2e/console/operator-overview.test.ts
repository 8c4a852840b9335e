import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { uploadTestDesign } from '../../server/testing/requests.ts';
import { openConsole } from './open-console.ts';
import { createStorageUse, createSystem, TIME } from './operator-states.ts';

const PACKAGE = join(import.meta.dirname, '../../package.json');

describe('the overview for operators', () => {
  it('is that of the service: versions, storage, sandbox, backup', async (t) => {
    const { service, page, errors } = await openConsole(t);
    const design = await uploadTestDesign(service);
    await page.goto(`${service.origin}/console/operator`);
    const { version } = JSON.parse(await readFile(PACKAGE, 'utf8'));
    const facts = await readFacts(page, 'Service');
    assert.equal(facts.Version, `Cloche ${version}, Node ${process.versions.node}`);
    assert.match(facts['Running for'] ?? '', /^(less than a minute|[1-9]\d* minutes?)$/);
    assert.match(facts.Node ?? '', /^\S+ \(serves requests and processes files\)$/);
    assert.match(facts.Database ?? '', /^SQLite \d+\.\d+/);
    assert.equal(facts.Files, 'in the data directory');
    assert.match(facts.Posters ?? '', /^Not rendered: there is no browser\./);

    const storage = await readFacts(page, 'Storage');
    const { before } = design.report ?? assert.fail('no report');
    const size = `${(before.bytes / 1000).toFixed(2)} kB`;
    assert.equal(storage['Files of owners'], `${size} · 1 file`);
    assert.equal(storage['Uploads in progress'], '0 bytes · 0 files');
    const card = getCard(page, 'Storage');
    await card.getByText(/^Designs: 1, with revisions: 1\. Counted (just now|.* ago)\.$/).waitFor();
    await getCard(page, 'Isolation of uploaded files strict')
      .getByText('All protections')
      .waitFor();
    await getCard(page, 'Backup').getByText('There has never been a backup.').waitFor();
    // There is one.
    assert.equal(await getCard(page, 'Nodes').count(), 0);
    assert.deepEqual(errors, []);
  });

  it('shows what is missing, the nodes, and the last backup', async (t) => {
    const { service, page, errors } = await openConsole(t);
    await page.route('**/v1/system', (route) => route.fulfill({ json: createSystem() }));
    await page.route('**/v1/storage', (route) => route.fulfill({ json: createStorageUse() }));
    await page.goto(`${service.origin}/console/operator`);
    const facts = await readFacts(page, 'Service');
    assert.equal(facts.Version, 'Cloche 0.1.0, Node 24.21.0');
    assert.equal(facts.Database, 'PostgreSQL 18.4 (Debian 18.4-1.pgdg120+1)');
    assert.equal(facts.Files, 'in a bucket (S3)');

    const sandbox = getCard(page, 'Isolation of uploaded files reduced');
    await sandbox.getByText('It is not strict: bubblewrap is not installed.').waitFor();
    const command = sandbox.getByRole('group', { name: /^Command on the machine/ });
    assert.equal((await command.innerText()).trim(), 'apt-get install bubblewrap');
    assert.deepEqual(await sandbox.getByRole('listitem').allInnerTexts(), [
      'system calls: there is no filter',
      'files: native code can read them',
    ]);

    assert.deepEqual(await readFacts(page, 'Storage'), {
      'Files of owners': '400 GB · 31,000 files',
      'Generated files': '100 GB · 381,000 files',
      'Uploads in progress': '2.50 GB · 3 files',
      'Disk of the data directory': '1.50 TB of 2.00 TB used, 500 GB free',
    });
    const bars = await getCard(page, 'Storage')
      .locator('.bar > *')
      .evaluateAll((elements) =>
        elements.map((bar) => {
          const { width } = bar.getBoundingClientRect();
          return Math.round((100 * width) / (bar.parentElement?.clientWidth ?? 0));
        }),
      );
    assert.deepEqual(bars, [100, 25, 1, 75]);
    await getCard(page, 'Storage').getByText('has only 4.00 MB of 16.0 MB').waitFor();

    const backup = getCard(page, 'Backup');
    await backup.getByText('A backup is being made.').waitFor();
    const last = await readFacts(page, 'Backup');
    assert.equal(last.Contents, '31 designs, 412,000 files, 300 GB');
    assert.equal(last['Made by version'], '0.1.0');
    assert.notEqual(last['Last backup'], '');
    assert.deepEqual(await readTimes(backup), [TIME]);

    const rows = await getCard(page, 'Nodes').getByRole('row').all();
    assert.equal(rows.length, 3);
    const [heading, , worker] = rows;
    assert.ok(heading && worker);
    const names = ['Node', 'Does', 'Version', 'Running for', 'Last report'];
    assert.deepEqual(await heading.getByRole('columnheader').allInnerTexts(), names);
    assert.equal(await worker.getByRole('rowheader').innerText(), 'node_2');
    const cells = await worker.getByRole('cell').allInnerTexts();
    assert.deepEqual(cells.slice(0, 2), ['processes files', '0.1.0']);
    assert.deepEqual(await readTimes(worker), [TIME, TIME]);
    assert.deepEqual(errors, []);
  });
});

const getCard = (page: Page, title: string) =>
  page
    .locator('section.card')
    .filter({ has: page.getByRole('heading', { name: title, level: 2 }) });

/** Reads the times that an element shows, as in the response of the service. */
const readTimes = (element: Locator) =>
  element
    .locator('time')
    .evaluateAll((times) => times.map((time) => time.getAttribute('datetime')));

/** Reads the names and values of a card. */
async function readFacts(page: Page, title: string): Promise<Record<string, string>> {
  const card = getCard(page, title);
  await card.locator('dt').first().waitFor();
  const facts = await card
    .locator('dt')
    .evaluateAll((names) =>
      names.map((name) => [
        name.textContent ?? '',
        ((name.nextElementSibling as HTMLElement | null)?.innerText ?? '')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      ]),
    );
  return Object.fromEntries(facts);
}
