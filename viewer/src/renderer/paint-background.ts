/** Paints the gradient of first-paint.css, with the same CSS variables. Nothing if the background is transparent. */
export function paintBackground(
  context: CanvasRenderingContext2D,
  { width, height }: { width: number; height: number },
): void {
  const style = getComputedStyle(document.body);
  const gradient = context.createRadialGradient(0, 0, 0, 0, 0, 1);
  gradient.addColorStop(0, style.getPropertyValue('--background-center'));
  gradient.addColorStop(1, style.getPropertyValue('--background-edge'));
  context.save();
  context.setTransform(0.75 * width, 0, 0, 0.8 * height, 0.5 * width, 0.42 * height);
  context.fillStyle = gradient;
  context.fillRect(-2, -2, 4, 4);
  context.restore();
}
