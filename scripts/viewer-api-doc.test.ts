import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { EVENT_NAMES, METHOD_NAMES } from '@cloche/contract/message';
import { createViewerApiDoc, listMembers } from './viewer-api-doc.ts';
import { readViewerApiSources } from './viewer-api-sources.ts';

const ROOT = join(import.meta.dirname, '..');
const sources = await readViewerApiSources(ROOT);

describe('docs/viewer-api.md', () => {
  it('is current; if not, run: npx node scripts/write-viewer-api-doc.ts', () => {
    const text = readFileSync(join(ROOT, 'docs/viewer-api.md'), 'utf8');
    assert.equal(text, createViewerApiDoc(sources));
  });

  it('has all methods and events', () => {
    const listNames = (type: string) => listMembers(sources.message, type).map(({ name }) => name);
    assert.deepEqual(listNames('ViewerMethods'), METHOD_NAMES);
    assert.deepEqual(listNames('ViewerMessageEvents'), EVENT_NAMES);
  });

  it('differs if a type changes', () => {
    const message = sources.message.replace('seek(time: number)', 'seek(seconds: number)');
    assert.notEqual(createViewerApiDoc({ ...sources, message }), createViewerApiDoc(sources));
  });
});
