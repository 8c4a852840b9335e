import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Design } from '@cloche/contract/design';
import type { Page } from 'playwright-core';
import { uploadTestDesign } from '../../server/testing/requests.ts';
import { assertPageFits } from './assert-page-fits.ts';
import { FULL_REPORT } from './full-report.ts';
import { openConsole } from './open-console.ts';

/** In pixels. A small value can be seen. */
const MIN_BAR_WIDTH = 2;
const MAX_LINE_HEIGHT = 30;

/** Of each chart: the bars with their label, their text and their width in percent. */
const CHARTS: Record<string, [label: string, text: string, percent: number][]> = {
  Bytes: [
    ['Your file', '184 MB', 100],
    ['Model for the web', '9.20 MB', 5],
    ['Preview, loaded first', '46.0 kB', 0.025],
  ],
  Triangles: [
    ['Your file', '2,400,000', 100],
    ['Model for the web', '600,000', 25],
  ],
  'What visitors load, by the size of the embed': [
    ['Geometry, 150,000 triangles', '900 kB', 16.7],
    ['Geometry, 300,000 triangles', '1.80 MB', 33.3],
    ['Geometry, 600,000 triangles', '3.60 MB', 66.7],
    ['Textures, 512 px', '450 kB', 8.3],
    ['Textures, 1024 px', '1.50 MB', 27.8],
    ['Textures, 2048 px', '5.40 MB', 100],
  ],
  'Time of each step': [
    ['read', '1.3 s', 10.1],
    ['repair', '8 ms', 0.1],
    ['merge', '320 ms', 2.6],
    ['simplify', '5.0 s', 40.3],
    ['textures', '12.4 s', 100],
    ['shadow', '940 ms', 7.6],
    ['compress', '2.6 s', 21],
    ['write', '31 ms', 0.3],
  ],
};

test('the report of a design has bars for bytes, triangles, levels and steps, and all warnings', async (t) => {
  const { service, page, errors } = await openConsole(t);
  const design: Design = { ...(await uploadTestDesign(service)), report: FULL_REPORT };
  await page.route(`**/v1/designs/${design.id}`, (route) => route.fulfill({ json: design }));
  await page.goto(`${service.origin}/console/designs/${design.id}`);
  const report = page.getByRole('region', { name: 'Report' });
  await report.getByText('Materials: 14. Textures: 22. Animations: 2. Variants: 3.').waitFor();
  const charts = await readCharts(page);
  assert.deepEqual(
    charts.map(({ title }) => title),
    Object.keys(CHARTS),
  );
  for (const { title, bars } of charts) assertBars(bars, CHARTS[title] ?? []);
  assert.deepEqual(
    await report.getByRole('listitem').allInnerTexts(),
    FULL_REPORT.warnings.map(({ message }) => message),
  );
  await assertPageFits(page, 'a full report');
  assert.deepEqual(errors, []);
});

type DrawnBar = {
  label: string;
  text: string;
  width: number;
  height: number;
  rowHeight: number;
};

/** Fails if the bars do not have the texts and, next to each other, the widths of what they stand for. */
function assertBars(bars: DrawnBar[], expected: [string, string, number][]): void {
  assert.deepEqual(
    bars.map(({ label, text }) => [label, text]),
    expected.map(([label, text]) => [label, text]),
  );
  const longest = Math.max(...bars.map(({ width }) => width));
  for (const [index, { label, width, height, rowHeight }] of bars.entries()) {
    const percent = expected[index]?.[2] ?? 0;
    const expectedWidth = Math.max(MIN_BAR_WIDTH, (percent / 100) * longest);
    assert.ok(Math.abs(width - expectedWidth) < 1, `${label}: ${width} px, not ${expectedWidth}`);
    assert.ok(height > 2, `${label}: ${height} px high`);
    assert.ok(rowHeight <= MAX_LINE_HEIGHT, `${label}: its text has more than one line`);
  }
}

/** Reads the charts as they are drawn. */
function readCharts(page: Page): Promise<{ title: string; bars: DrawnBar[] }[]> {
  return page.locator('.design-charts > div').evaluateAll((charts) =>
    charts.map((chart) => ({
      title: chart.querySelector('h3')?.textContent ?? '',
      bars: [...chart.querySelectorAll('dl > div')].map((row) => {
        const { width = 0, height = 0 } =
          row.querySelector('.design-bar')?.getBoundingClientRect() ?? {};
        const label = row.querySelector('dt')?.textContent ?? '';
        const text = row.querySelector('dd')?.innerText.trim() ?? '';
        const rowHeight = row.querySelector('dd')?.getBoundingClientRect().height ?? 0;
        return { label, text, width, height, rowHeight };
      }),
    })),
  );
}
