/**
 * Measures the list of the console with 10,000 designs: how long searches take, and how regularly frames are drawn while the list is
 * scrolled. Run it with `npm run bench:console`, on Linux; the argument is another number of designs. Fails if a goal is not met. Frames
 * are compared with those of an empty page in the same run; if these are late, the machine is too slow or busy, and the result inconclusive.
 */
import { buildWorkspaces } from '../scripts/build-workspaces.ts';
import { findFreePort } from '../scripts/find-free-port.ts';
import { createScrollGoals, createSearchGoals } from './console/goals.ts';
import { measureScrolling } from './console/measure-scrolling.ts';
import { measureSearch } from './console/measure-search.ts';
import { openServiceWithDesigns } from './console/open-service.ts';
import { printMeasurement, printTableHead } from './measurement.ts';

const designCount = Number(process.argv[2] ?? 10_000);
if (!Number.isInteger(designCount) || designCount < 1)
  throw new Error(`${process.argv[2]} is not a number of designs.`);

await buildWorkspaces({ onlyIfChanged: true });
await using service = await openServiceWithDesigns(await findFreePort(), designCount);
console.log(`${designCount} designs`);
printTableHead();
const searches = createSearchGoals(await measureSearch(service)).map(printMeasurement);
const scrolling = createScrollGoals(await measureScrolling(service, designCount)).map(
  printMeasurement,
);
if ([...searches, ...scrolling].includes('NOT MET')) process.exitCode = 1;
