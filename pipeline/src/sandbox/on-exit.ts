const exitCallbacks = new Set<() => void>();

/**
 * Calls `end` when this process exits, unless that is taken back before by what this answers. One
 * listener for all, however many children there are.
 */
export function onExit(end: () => void): () => void {
  if (exitCallbacks.size === 0) process.on('exit', runExitCallbacks);
  exitCallbacks.add(end);
  return () => {
    exitCallbacks.delete(end);
    if (exitCallbacks.size === 0) process.off('exit', runExitCallbacks);
  };
}

function runExitCallbacks(): void {
  for (const end of exitCallbacks) end();
}
