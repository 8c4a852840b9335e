import { GRANT_HEADER, type ViewerConfig } from '@cloche/contract/viewer-config';
import { removeSmallGeometries } from './loader/select-geometry.ts';

/**
 * Requests the file that is shown first: the preview, or the geometry or model if there is no preview. Removes the geometries from the
 * config that are too small for the frame.
 */
export function requestFirstAsset(
  config: ViewerConfig,
  frame: Element,
  signal?: AbortSignal,
): Promise<Response> {
  removeSmallGeometries(config, frame);
  const { preview, model, levels, grant, posterMode } = config;
  const first = preview ?? levels?.geometries[0] ?? model;
  return requestAsset((posterMode ? model : first).url, grant, signal);
}

/**
 * Requests a file of the design. No cookies are sent: the grant is the only credential, or the ticket in the URL on the origin of a CDN. A
 * CDN never gets the grant, and its request needs no preflight.
 */
export function requestAsset(url: string, grant: string, signal?: AbortSignal): Promise<Response> {
  const response = fetch(url, {
    headers: url.startsWith('/') ? { [GRANT_HEADER]: grant } : {},
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    ...(signal && { signal }),
  });
  // The caller may await the response later; until then a failure must not count as unhandled.
  response.catch(() => undefined);
  return response;
}
