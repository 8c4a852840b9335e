import { MODEL_URL, type PendingModel, type ViewerConfig } from '@cloche/contract/viewer-config';
import { requestAsset } from '../request-asset.ts';
import { waitForData } from './download.ts';

/** A file of the config. */
export type ModelFile = { url: string; bytes: number };

/** Those that have not ended yet: several files are often refused at the same time. */
const renewals = new WeakMap<ViewerConfig, Promise<Response | undefined>>();

/**
 * Requests a file of the model. With a CDN, the page may have been open for longer than the ticket in the URL is valid. Then all files get
 * new tickets first, as a new framed document would have them. If they get none, the response is the one that says why.
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
  // Another request may have got new tickets meanwhile.
  const failure = file.url === url ? await shareRenewal(config) : undefined;
  if (failure !== undefined) return failure;
  return file.url === url ? response : requestAsset(file.url, config.grant, signal);
}

async function shareRenewal(config: ViewerConfig): Promise<Response | undefined> {
  let renewal = renewals.get(config);
  if (renewal === undefined) {
    renewal = renewTickets(config).finally(() => renewals.delete(config));
    renewals.set(config, renewal);
  }
  // A response can be read once.
  return (await renewal)?.clone();
}

/** Returns the response if it is an error. */
async function renewTickets(config: ViewerConfig): Promise<Response | undefined> {
  // It must end, because other requests share it.
  const response = await waitForData(requestAsset(MODEL_URL, config.grant));
  if (!response.ok) return response;
  const renewed = (await waitForData(response.json())) as PendingModel;
  const urls = new Map(listFiles(renewed).map(({ url }) => [getFileName(url), url]));
  for (const file of listFiles(config)) file.url = urls.get(getFileName(file.url)) ?? file.url;
  return undefined;
}

function listFiles({ model, levels }: PendingModel): ModelFile[] {
  return [model, ...(levels?.geometries ?? []), ...(levels?.textures ?? [])];
}

/** The name is the hash of the content. */
const getFileName = (url: string): string => url.replace(/\?.*$|^.*\//g, '');
