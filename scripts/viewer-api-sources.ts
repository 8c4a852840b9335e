import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ViewerApiSources } from './viewer-api-doc.ts';

/** The first heading of the generated sections. */
const FIRST_SECTION = '\n## Options\n';

/** Reads the sources of docs/viewer-api.md. The introduction is the part of the page that is not generated. */
export async function readViewerApiSources(root: string): Promise<ViewerApiSources> {
  const read = (path: string) => readFile(join(root, path), 'utf8');
  const [introduction = ''] = (await read('docs/viewer-api.md')).split(FIRST_SECTION);
  const [message, handle] = await Promise.all([
    read('contract/src/message.ts'),
    read('sdk/src/viewer-handle.ts'),
  ]);
  return { introduction, message, handle };
}
