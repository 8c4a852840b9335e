/** Loses the WebGL context of the canvas, as when the browser takes it away. Runs in the frame. */
export async function loseContext(): Promise<void> {
  const canvas = document.querySelector('canvas') as HTMLCanvasElement;
  const lost = new Promise((resolve) => canvas.addEventListener('webglcontextlost', resolve));
  canvas.getContext('webgl2')?.getExtension('WEBGL_lose_context')?.loseContext();
  await lost;
}
