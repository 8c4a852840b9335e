import type { Viewer } from '../viewer.ts';

/**
 * Plays the selected animation when the model is shown, unless the option `autoplay` is false or the visitor prefers reduced
 * motion.
 */
export function mountAutoplay(viewer: Viewer, prefersReducedMotion: () => boolean): void {
  const play = async () => {
    const [first] = await viewer.getAnimations();
    if (first === undefined || prefersReducedMotion()) return;
    if (viewer.getOptions().autoplay !== false) await viewer.play();
  };
  viewer.on('modelchange', ({ isPreview }) => {
    if (!isPreview) void play();
  });
  if (viewer.state === 'ready') void play();
}
