/** Runs the benchmark of the first frame alone. `--help` lists the options. */
import { buildWorkspaces } from '../../scripts/build-workspaces.ts';
import { parseCommandLine } from './command-line.ts';
import { benchFirstFrame } from './first-frame.ts';
import { renderTables } from './report.ts';

const options = parseCommandLine(process.argv.slice(2));
await buildWorkspaces({ onlyIfChanged: true });
console.log(`\n${renderTables(await benchFirstFrame(options))}`);
