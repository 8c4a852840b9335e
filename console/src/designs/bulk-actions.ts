import type { Design } from '@cloche/contract/design';
import type { ApiClient } from '../api/api-client.ts';
import { ApiError, isPreconditionFailed } from '../api/api-error.ts';
import { saveFile } from '../ui/save-file.ts';
import type { SelectedDesign } from './use-selection.ts';

const MAX_CONFLICTS = 5;

/** Changes the tags of a design. Another change at the same time is not overwritten. @throws {ApiError} */
export async function changeTags(
  api: ApiClient,
  { id }: SelectedDesign,
  change: (tags: readonly string[]) => string[],
): Promise<void> {
  const path = `/v1/designs/${id}`;
  for (let attempt = 1; ; attempt += 1) {
    const response = await api.request(path, { accept: 'application/json' });
    const { tags } = (await response.json()) as Design;
    const changed = change(tags);
    if (JSON.stringify(changed) === JSON.stringify(tags)) return;
    const ifMatch = response.headers.get('etag') ?? '*';
    try {
      await api.request(path, { method: 'PATCH', json: { tags: changed }, ifMatch });
      return;
    } catch (error) {
      if (!isPreconditionFailed(error) || attempt >= MAX_CONFLICTS) throw error;
    }
  }
}

export const addTag = (tag: string) => (tags: readonly string[]) =>
  tags.includes(tag) ? [...tags] : [...tags, tag];

export const removeTag = (tag: string) => (tags: readonly string[]) =>
  tags.filter((other) => other !== tag);

/** Deletes a design. One that was deleted already is not an error. @throws {ApiError} */
export async function deleteDesign(api: ApiClient, { id }: SelectedDesign): Promise<void> {
  try {
    await api.request(`/v1/designs/${id}`, { method: 'DELETE' });
  } catch (error) {
    if (getStatus(error) !== 404) throw error;
  }
}

/** Saves the source file of a design on the computer. @throws {ApiError} */
export async function downloadSource(api: ApiClient, { id, name }: SelectedDesign): Promise<void> {
  const response = await api.request(`/v1/designs/${id}/model`, { accept: '*/*' });
  const fileName = parseFileName(response.headers.get('content-disposition')) ?? name;
  saveFile(fileName, await response.blob());
}

/** The file name of a header `Content-Disposition`. */
function parseFileName(header: string | null): string | undefined {
  const [, encoded] = /filename\*=UTF-8''([^;]+)/i.exec(header ?? '') ?? [];
  if (encoded !== undefined) return decodeURIComponent(encoded);
  return /filename="([^"]+)"/i.exec(header ?? '')?.[1];
}

function getStatus(error: unknown): number | undefined {
  return error instanceof ApiError ? error.problem?.status : undefined;
}
