const endings = new Set<() => void>();

/**
 * Calls `end` when this process exits, unless that is taken back before by what this answers. One
 * listener for all, however many children there are.
 */
export function atExit(end: () => void): () => void {
  if (endings.size === 0) process.on('exit', endAll);
  endings.add(end);
  return () => {
    endings.delete(end);
    if (endings.size === 0) process.off('exit', endAll);
  };
}

function endAll(): void {
  for (const end of endings) end();
}
