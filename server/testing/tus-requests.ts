import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { TestServer } from './harness.ts';
import { sendRequest, type TestClient } from './requests.ts';
import { connectToServerDatabase, type TestSql } from './test-database.ts';

type RequestHeaders = Record<string, string>;

export const TUS_HEADERS = { 'tus-resumable': '1.0.0' };
export const TUS_PATCH_HEADERS = {
  ...TUS_HEADERS,
  'content-type': 'application/offset+octet-stream',
};

/** Encodes the header `Upload-Metadata`. */
export function uploadMetadataHeader(pairs: RequestHeaders): RequestHeaders {
  const encodedPairs = Object.entries(pairs).map(
    ([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`,
  );
  return { 'upload-metadata': encodedPairs.join(',') };
}

/** Creates an upload and returns its path. */
export async function createUpload(
  client: TestClient,
  sizeBytes: number,
  headers: RequestHeaders = {},
): Promise<string> {
  const response = await sendRequest(client, 'POST', '/v1/uploads', undefined, {
    ...TUS_HEADERS,
    'upload-length': String(sizeBytes),
    ...headers,
  });
  if (response.statusCode !== 201) throw new Error(response.body);
  return new URL(String(response.headers.location)).pathname;
}

/** Appends bytes to an upload. */
export function patchUpload(client: TestClient, path: string, bytes: Buffer, offset = 0) {
  return sendRequest(client, 'PATCH', path, bytes, {
    ...TUS_PATCH_HEADERS,
    'upload-offset': String(offset),
  });
}

/** Requests the offset of an upload. */
export function headUpload(client: TestClient, path: string) {
  return sendRequest(client, 'HEAD', path, undefined, TUS_HEADERS);
}

/** Lists what is stored of uploads: `metadata` for the row of each, and `data` if it has bytes. */
export async function listStoredUploads(
  t: TestContext,
  service: Pick<TestServer, 'dataDirectory'>,
): Promise<string[]> {
  const names = await readdir(join(service.dataDirectory, 'uploads'));
  const rows = await connectToServerDatabase(t, service).all('SELECT id FROM upload');
  return [...names.map(() => 'data'), ...rows.map(() => 'metadata')];
}

/** Returns how many bytes of an upload are stored, without asking its request to stop. */
export async function readStoredOffset(database: TestSql, path: string): Promise<number> {
  const row = await database.get('SELECT offset_bytes FROM upload WHERE id = ?', basename(path));
  return Number(row?.offset_bytes);
}

type InjectedResponse = Awaited<ReturnType<typeof sendRequest>>;

/** Checks the problem of a response, and that it has the tus version headers. */
export function assertTusProblem(response: InjectedResponse, status: number, code: string): void {
  assert.equal(response.statusCode, status, response.body);
  assert.equal(response.headers['content-type'], 'application/problem+json; charset=utf-8');
  if (response.body !== '') assert.equal(response.json().code, code);
  assert.equal(response.headers['tus-resumable'], '1.0.0');
  assert.equal(response.headers['tus-version'], '1.0.0');
}
