import { MODEL_URL, type PendingModel, type ViewerConfig } from '@cloche/contract/viewer-config';
import { requestAsset } from '../request-asset.ts';
import { download } from './download.ts';

type ModelFile = { url: string; bytes: number };

/**
 * Requests a file of the model. With a CDN, the page may have been open for longer than the ticket in the URL is valid. Then all files get
 * new tickets first, as a new framed document would have them.
 *
 * @param file of the config, whose URLs are replaced
 */
export async function requestModelFile(
  file: ModelFile,
  config: ViewerConfig,
  signal?: AbortSignal,
): Promise<Response> {
  const { url } = file;
  const response = await requestAsset(url, config.grant, signal);
  if (response.status !== 403 || !url.includes('?ticket=')) return response;
  // If there is no new ticket, the first response says why. Another request may have got one meanwhile.
  if (file.url === url) await renewTickets(config, signal).catch(() => undefined);
  return file.url === url ? response : requestAsset(file.url, config.grant, signal);
}

/** @throws {ViewerError} as `download` */
async function renewTickets(config: ViewerConfig, signal?: AbortSignal): Promise<void> {
  const body = await download(requestAsset(MODEL_URL, config.grant, signal), 0, () => {});
  const renewed = JSON.parse(new TextDecoder().decode(body)) as PendingModel;
  const urls = new Map(listFiles(renewed).map(({ url }) => [getFileName(url), url]));
  for (const file of listFiles(config)) file.url = urls.get(getFileName(file.url)) ?? file.url;
}

function listFiles({ model, levels }: PendingModel): ModelFile[] {
  return [model, ...(levels?.geometries ?? []), ...(levels?.textures ?? [])];
}

/** The name is the hash of the content. */
const getFileName = (url: string): string => url.replace(/\?.*$|^.*\//g, '');
