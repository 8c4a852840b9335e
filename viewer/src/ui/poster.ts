import { computeDefaultViewAspect } from '@cloche/contract/default-view';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { requestAsset } from '../request-asset.ts';

type Poster = NonNullable<ViewerConfig['posters']>[number];

/** A poster is visible for a moment only, so half the resolution of the screen is enough. */
const SUFFICIENT_PIXEL_SHARE = 0.5;

/** Returns the smallest poster with enough pixels for a frame; if none has enough, the largest. */
export function choosePoster(
  posters: readonly Poster[],
  frame: { width: number; height: number; pixelRatio: number },
): Poster | undefined {
  const byWidth = posters.toSorted((a, b) => a.width - b.width);
  const sufficient = byWidth.find(({ width, height }) => {
    const displayedWidth = Math.min(frame.width, (frame.height * width) / height);
    return width >= displayedWidth * frame.pixelRatio * SUFFICIENT_PIXEL_SHARE;
  });
  return sufficient ?? byWidth.at(-1);
}

/**
 * Sets the CSS variables that size the posters so that the design in them is as large as it
 * will be in the 3D view, in a frame of any aspect.
 */
export function setPosterLayout({ style }: HTMLElement, { posters, model }: ViewerConfig): void {
  const [{ width, height } = { width: 4, height: 3 }] = posters ?? [];
  const posterAspect = width / height;
  style.setProperty('--poster-aspect', String(posterAspect));
  if (model.bounds === undefined) return;
  const { min, max } = model.bounds;
  const size = { x: max[0] - min[0], y: max[1] - min[1], z: max[2] - min[2] };
  const modelAspect = computeDefaultViewAspect(size);
  if (!(modelAspect > 0 && modelAspect < 100)) return;
  style.setProperty('--model-aspect', String(modelAspect));
  style.setProperty('--poster-scale', String(Math.max(1, modelAspect / posterAspect)));
}

/** Shows the poster. Resolves when it is decoded and in the document, or if there is none. */
export async function showPoster(document: Document, config: ViewerConfig): Promise<void> {
  const { innerWidth: width, innerHeight: height, devicePixelRatio: pixelRatio } = window;
  const poster = choosePoster(config.posters ?? [], { width, height, pixelRatio });
  if (poster === undefined) return;
  // Its few kilobytes delay the model by up to 0.1 s, but show a picture much earlier.
  const response = await requestAsset(poster.url, config.grant);
  if (!response.ok) return;
  const image = new Image();
  image.id = 'poster';
  image.alt = config.design.name;
  // Else a frame without any poster can be painted: decoding for its size on the screen would begin after the
  // inline poster is hidden.
  image.decoding = 'sync';
  image.src = URL.createObjectURL(await response.blob());
  await image.decode();
  URL.revokeObjectURL(image.src);
  document.querySelector('main')?.prepend(image);
  document.documentElement.dataset.poster = '';
  performance.mark('cloche-poster');
}
