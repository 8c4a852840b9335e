/** Runs the benchmark of a page with many embeds. `--help` lists the options. Fails if a goal is not met. */
import { buildWorkspaces } from '../../scripts/build-workspaces.ts';
import { printMeasurement, printTableHead } from '../measurement.ts';
import { readArguments } from '../read-arguments.ts';
import { parseCommandLine, USAGE } from './command-line.ts';
import { listMeasurements } from './goals.ts';
import { benchManyEmbeds } from './many-embeds.ts';

const options = readArguments(USAGE, parseCommandLine);
await buildWorkspaces({ onlyIfChanged: true });
printTableHead();
for await (const result of benchManyEmbeds(options)) {
  for (const measurement of listMeasurements(result))
    if (!['met', 'no target'].includes(printMeasurement(measurement))) process.exitCode = 1;
}
