import assert from 'node:assert/strict';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import type { DesignView } from '@cloche/contract/design';
import { type ProblemCode, problems } from '@cloche/contract/problem';
import type { IssuedToken } from '@cloche/contract/token';
import { FullBlobs, HeldBlobs, openFolder } from '../testing/ground.ts';
import { openService, type Service } from '../testing/harness.ts';
import { makeBox } from '../testing/models.ts';
import { ask, head, issue, Line, openDatabase, SHOP, upload } from '../testing/requests.ts';
import { DiskBlobs } from './blobs/disk.ts';
import { makeTokenString } from './tokens/token-string.ts';

const NOBODY = '8b0f6f0e-8f7f-4b7e-9d0c-2f6d3a1c9e55';
const WISH = { capabilities: ['embed'], origins: [SHOP], type: 'api', user: '~' };
const GLB = { 'content-type': 'model/gltf-binary' };
const JSON_TYPE = { 'content-type': 'application/json' };
const FRAME = { 'sec-fetch-dest': 'iframe', referer: `${SHOP}/` };

test('every code of the contract is reached over HTTP, with its own status', () => {
  assert.deepEqual(Object.keys(provoke).sort(), Object.keys(problems).sort());
});
