import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { ViewerOptions } from '@cloche/contract/viewer-options';

/** The parts of the built viewer that a poster needs; `identity` is an asset without compression. */
export type ViewerBundle = {
  render(config: ViewerConfig): string;
  contentSecurityPolicy: string;
  assets: ReadonlyMap<string, { contentType: string; identity: Buffer }>;
};

/** A response with status 200. */
type PosterPageResponse = { headers: Record<string, string>; body: Buffer };

/** Returns the response to a request of the page; undefined for a URL that does not exist. */
export type PosterRequestHandler = (url: string) => PosterPageResponse | undefined;

/** The origin of the page. It never resolves (RFC 2606): the responses come from memory. */
export const POSTER_ORIGIN = 'https://poster.invalid';

const VIEWER_PREFIX = `${POSTER_ORIGIN}/embed/viewer/`;
const [MODEL_PATH, TEXTURES_PATH] = ['/model.glb', '/textures.glb'];

/** `glb` is the model, its preview, or a geometry without the images of the texture pack. */
export type PosterModel = { glb: Buffer; texturePack?: { file: Buffer; size: number } };

/** The box of the model, and the options that change the first picture. */
type RequestHandlerOptions = {
  bounds?: ViewerConfig['model']['bounds'] | undefined;
  options?: ViewerOptions;
};

/** Serves the viewer in poster mode. The page gets no name, no token and no grant. */
export function createRequestHandler(
  viewer: ViewerBundle,
  { glb, texturePack }: PosterModel,
  { bounds, options = {} }: RequestHandlerOptions,
): PosterRequestHandler {
  // In poster mode, the viewer requests the URL of the model.
  const geometries = [{ url: MODEL_PATH, bytes: glb.length, triangles: 0 }];
  const html = viewer.render({
    posterMode: true,
    design: { id: '', name: '' },
    model: { url: MODEL_PATH, bytes: glb.length, ...(bounds && { bounds }) },
    ...(texturePack && {
      levels: {
        geometries,
        textures: [{ url: TEXTURES_PATH, bytes: texturePack.file.length, size: texturePack.size }],
      },
    }),
    ...(Object.keys(options).length > 0 && { options }),
    grant: '',
    allowedOrigins: [],
  });
  const policyHeader = { 'content-security-policy': viewer.contentSecurityPolicy };
  return (url) => {
    if (url === `${POSTER_ORIGIN}/`) {
      return toResponse(Buffer.from(html), 'text/html; charset=utf-8', policyHeader);
    }
    if (url === `${POSTER_ORIGIN}${MODEL_PATH}`) return toResponse(glb, 'model/gltf-binary');
    if (url === `${POSTER_ORIGIN}${TEXTURES_PATH}`)
      return texturePack && toResponse(texturePack.file, 'model/gltf-binary');
    if (!url.startsWith(VIEWER_PREFIX)) return undefined;
    const asset = viewer.assets.get(url.slice(VIEWER_PREFIX.length));
    return asset && toResponse(asset.identity, asset.contentType);
  };
}

function toResponse(
  body: Buffer,
  contentType: string,
  extraHeaders: Record<string, string> = {},
): PosterPageResponse {
  const contentLength = String(body.length);
  return {
    body,
    headers: { 'content-type': contentType, 'content-length': contentLength, ...extraHeaders },
  };
}
