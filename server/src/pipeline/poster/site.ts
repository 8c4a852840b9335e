import type { Framed } from '@cloche/contract/framed';

/** The built viewer, as far as a picture needs it. */
export type ViewerPage = {
  fill(framed: Framed): string;
  policy: string;
  assets: ReadonlyMap<string, { type: string; plain: Buffer }>;
};

export type Answer = { headers: Record<string, string>; body: Buffer };

/** All that the browser finds in its world: answers by address, undefined for whatever else it asks. */
export type Site = (address: string) => Answer | undefined;

/** A name that no resolver knows; what is there comes from memory. */
export const ORIGIN = 'https://poster.invalid';

const VIEWER = `${ORIGIN}/embed/viewer/`;
const MODEL = '/model.glb';

/** The page that stands for a model's picture. It is told no name, no token and no grant. */
export function openSite(page: ViewerPage, model: Buffer, bounds: Framed['model']['bounds']): Site {
  const html = page.fill({
    still: true,
    design: { id: '', name: '' },
    model: { url: MODEL, bytes: model.length, ...(bounds && { bounds }) },
    grant: '',
    origins: [],
  });
  const policy = { 'content-security-policy': page.policy };
  return (address) => {
    if (address === `${ORIGIN}/`) {
      return answer(Buffer.from(html), 'text/html; charset=utf-8', policy);
    }
    if (address === `${ORIGIN}${MODEL}`) return answer(model, 'model/gltf-binary');
    if (!address.startsWith(VIEWER)) return undefined;
    const file = page.assets.get(address.slice(VIEWER.length));
    return file && answer(file.plain, file.type);
  };
}

function answer(body: Buffer, type: string, more: Record<string, string> = {}): Answer {
  const length = String(body.length);
  return { body, headers: { 'content-type': type, 'content-length': length, ...more } };
}
