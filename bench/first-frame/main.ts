/** Runs the benchmark of the first frame alone. `--help` lists the options. Fails if a goal is not met. */
import { buildWorkspaces } from '../../scripts/build-workspaces.ts';
import { readArguments } from '../read-arguments.ts';
import { parseCommandLine, USAGE } from './command-line.ts';
import { benchFirstFrame } from './first-frame.ts';
import { hasFailure } from './goals.ts';
import { renderTables } from './report.ts';

const options = readArguments(USAGE, parseCommandLine);
await buildWorkspaces({ onlyIfChanged: true });
const results = await benchFirstFrame(options);
console.log(`\n${renderTables(results)}`);
if (hasFailure(results)) process.exitCode = 1;
