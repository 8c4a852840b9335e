import { MODEL_URL, type PendingModel } from '@cloche/contract/viewer-config';
import { requestAsset } from '../request-asset.ts';
import { download } from './download.ts';

/**
 * Returns the URL of a file of the model with a new ticket, as a new framed document would have it. The visitor may have left the page open
 * for longer than the tickets of this one are valid.
 *
 * @param url with the old ticket
 * @throws {ViewerError} as `download`
 * @throws {Error} the model has no such file
 */
export async function renewTicket(
  url: string,
  grant: string,
  signal: AbortSignal,
): Promise<string> {
  const body = await download(requestAsset(MODEL_URL, grant, signal), 0, () => {});
  const { model, levels } = JSON.parse(new TextDecoder().decode(body)) as PendingModel;
  const { geometries = [], textures = [] } = levels ?? {};
  const files = [model, ...geometries, ...textures];
  const renewed = files.find((file) => removeTicket(file.url) === removeTicket(url));
  if (renewed === undefined) throw new Error('The model has other files now.');
  return renewed.url;
}

const removeTicket = (url: string): string => url.replace(/\?.*/, '');
