/** Writes the generated sections of docs/viewer-api.md again: `node scripts/write-viewer-api-doc.ts`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createViewerApiDoc } from './viewer-api-doc.ts';
import { readViewerApiSources } from './viewer-api-sources.ts';

const ROOT = join(import.meta.dirname, '..');
await writeFile(
  join(ROOT, 'docs/viewer-api.md'),
  createViewerApiDoc(await readViewerApiSources(ROOT)),
);
