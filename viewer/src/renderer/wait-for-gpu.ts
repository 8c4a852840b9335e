import type { WebGLRenderer } from 'three';

const POLL_INTERVAL_MS = 4;

/**
 * Resolves when the GPU has executed all commands so far, or has lost its context. Other tasks run in the
 * meantime: drawing a model for the first time can take a GPU, or its replacement in software, a second.
 */
export async function waitForGpu(renderer: WebGLRenderer): Promise<void> {
  const gl = renderer.getContext() as WebGL2RenderingContext;
  const sync = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
  if (sync === null) return;
  gl.flush();
  const isPending = () => gl.clientWaitSync(sync, 0, 0) === gl.TIMEOUT_EXPIRED;
  while (!gl.isContextLost() && isPending())
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  gl.deleteSync(sync);
}
