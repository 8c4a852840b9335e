/** Type checked, not run: the handle and the element without a framework. */
import { createViewer } from '../../src/index.ts';
import type {} from '../../src/viewer-element.ts';

export async function control(): Promise<void> {
  const viewer = createViewer(document.querySelector('iframe'), { theme: 'dark' });
  const { orbit }: { orbit: { theta: number } } = await viewer.getCamera();
  await viewer.setCamera({ orbit: { theta: orbit.theta + 1 } }, { durationMs: 500 });
  const blob: Blob = await viewer.toBlob({ type: 'image/webp' });
  URL.createObjectURL(blob);
  viewer.on('pick', ({ part, position }) => console.log(part.name, position.x));
  // @ts-expect-error: not an event
  viewer.on('picked', () => {});
  // @ts-expect-error: not an option
  await viewer.setOptions({ camera: '' });
  // @ts-expect-error: ids of parts are numbers
  await viewer.hideParts(['leg']);

  const element = document.querySelector('cloche-viewer');
  element?.addEventListener('camera-change', ({ detail }) => detail.orbit.theta.toFixed(2));
  element?.addEventListener('load', ({ detail }) => Object.keys(detail));
  if (element) element.autoRotate = true;
  // @ts-expect-error: not one of the themes
  if (element) element.theme = 'blue';
}
