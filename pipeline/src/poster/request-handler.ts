import type { ViewerConfig } from '@cloche/contract/viewer-config';

/** The built viewer, as far as a picture needs it. */
export type ViewerBundle = {
  render(config: ViewerConfig): string;
  contentSecurityPolicy: string;
  assets: ReadonlyMap<string, { contentType: string; identity: Buffer }>;
};

export type PosterPageResponse = { headers: Record<string, string>; body: Buffer };

/** All that the browser finds in its world: answers by address, undefined for whatever else it asks. */
export type PosterRequestHandler = (address: string) => PosterPageResponse | undefined;

/** A name that no resolver knows; what is there comes from memory. */
export const POSTER_ORIGIN = 'https://poster.invalid';

const VIEWER_PREFIX = `${POSTER_ORIGIN}/embed/viewer/`;
const MODEL_PATH = '/model.glb';

/** The page that stands for a model's picture. It is told no name, no token and no grant. */
export function createRequestHandler(
  page: ViewerBundle,
  model: Buffer,
  bounds: ViewerConfig['model']['bounds'],
): PosterRequestHandler {
  const html = page.render({
    posterMode: true,
    design: { id: '', name: '' },
    model: { url: MODEL_PATH, bytes: model.length, ...(bounds && { bounds }) },
    grant: '',
    allowedOrigins: [],
  });
  const policy = { 'content-security-policy': page.contentSecurityPolicy };
  return (address) => {
    if (address === `${POSTER_ORIGIN}/`) {
      return toResponse(Buffer.from(html), 'text/html; charset=utf-8', policy);
    }
    if (address === `${POSTER_ORIGIN}${MODEL_PATH}`) return toResponse(model, 'model/gltf-binary');
    if (!address.startsWith(VIEWER_PREFIX)) return undefined;
    const file = page.assets.get(address.slice(VIEWER_PREFIX.length));
    return file && toResponse(file.identity, file.contentType);
  };
}

function toResponse(
  body: Buffer,
  type: string,
  more: Record<string, string> = {},
): PosterPageResponse {
  const length = String(body.length);
  return { body, headers: { 'content-type': type, 'content-length': length, ...more } };
}
