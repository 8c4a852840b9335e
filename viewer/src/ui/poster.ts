import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { requestAsset } from '../bootstrap-state.ts';
import { computeDefaultViewAspect } from '../camera/default-view-angles.ts';

type Poster = NonNullable<ViewerConfig['posters']>[number];

/** Posters are seen for a moment: half the pixels of the screen do. */
const SUFFICIENT_PIXEL_SHARE = 0.5;

/** The smallest poster that has enough pixels for a frame, else the largest there is. */
export function choosePoster(
  posters: readonly Poster[],
  frame: { width: number; height: number; pixelRatio: number },
): Poster | undefined {
  const byWidth = posters.toSorted((one, other) => one.width - other.width);
  const enough = byWidth.find(({ width, height }) => {
    const drawn = Math.min(frame.width, (frame.height * width) / height);
    return width >= drawn * frame.pixelRatio * SUFFICIENT_PIXEL_SHARE;
  });
  return enough ?? byWidth.at(-1);
}

/**
 * Says how large the likenesses must be for the design in them to be as large as it will be: in a
 * frame of another shape it fills another share of the height.
 */
export function setPosterLayout({ style }: HTMLElement, { posters, model }: ViewerConfig): void {
  const [{ width, height } = { width: 4, height: 3 }] = posters ?? [];
  const shape = width / height;
  style.setProperty('--poster-aspect', String(shape));
  if (model.bounds === undefined) return;
  const { min, max } = model.bounds;
  const size = { x: max[0] - min[0], y: max[1] - min[1], z: max[2] - min[2] };
  const ratio = computeDefaultViewAspect(size);
  if (!(ratio > 0 && ratio < 100)) return;
  style.setProperty('--model-aspect', String(ratio));
  style.setProperty('--poster-scale', String(Math.max(1, ratio / shape)));
}

/** Hangs the poster where the design will stand. Nothing waits for it, and without it nothing fails. */
export async function showPoster(page: Document, framed: ViewerConfig): Promise<void> {
  const { innerWidth: width, innerHeight: height, devicePixelRatio: pixelRatio } = window;
  const poster = choosePoster(framed.posters ?? [], { width, height, pixelRatio });
  if (poster === undefined) return;
  // Its few kilobytes go first: a picture now, for a tenth of a second more until the design.
  const response = await requestAsset(poster.url, framed.grant);
  if (!response.ok) return;
  const image = new Image();
  image.id = 'poster';
  image.alt = framed.design.name;
  image.src = URL.createObjectURL(await response.blob());
  await image.decode();
  URL.revokeObjectURL(image.src);
  page.querySelector('main')?.prepend(image);
  page.documentElement.dataset.poster = '';
  performance.mark('cloche-poster');
}
