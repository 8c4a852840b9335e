/**
 * Writes stored results into docs/speed.md: `node bench/first-frame/write-docs.ts <path without .json>`.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_OUTPUT } from './command-line.ts';
import { renderTables, replaceResults } from './report.ts';
import { readResults } from './results.ts';

const DOCUMENT = join(import.meta.dirname, '../../docs/speed.md');

const results = await readResults(process.argv[2] ?? DEFAULT_OUTPUT);
const text = await readFile(DOCUMENT, 'utf8');
await writeFile(DOCUMENT, replaceResults(text, renderTables(results)));
