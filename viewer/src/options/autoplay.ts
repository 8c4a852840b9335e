import { onModel } from '../ui/on-model.ts';
import type { Viewer } from '../viewer.ts';

/**
 * Plays the selected animation when the model is shown, unless the option `autoplay` is false or the visitor prefers reduced
 * motion. `play` must not do so if the page has paused it before.
 */
export function mountAutoplay(
  viewer: Viewer,
  reducedMotion: MediaQueryList,
  play: () => void,
): void {
  onModel(viewer, async () => {
    const [first] = await viewer.getAnimations();
    if (first === undefined || reducedMotion.matches) return;
    if (viewer.getOptions().autoplay !== false) play();
  });
}
