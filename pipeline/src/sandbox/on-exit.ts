const exitCallbacks = new Set<() => void>();

/**
 * Calls `callback` when this process exits; the returned function unregisters it. All callbacks
 * share one listener, so that many child processes cause no MaxListenersExceededWarning.
 */
export function onExit(callback: () => void): () => void {
  if (exitCallbacks.size === 0) process.on('exit', runExitCallbacks);
  exitCallbacks.add(callback);
  return () => {
    exitCallbacks.delete(callback);
    if (exitCallbacks.size === 0) process.off('exit', runExitCallbacks);
  };
}

function runExitCallbacks(): void {
  for (const callback of exitCallbacks) callback();
}
