/** Maps each item with an asynchronous function, at most `concurrency` at a time, in order. */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  // The workers share one iterator, so each item is taken once.
  const remaining = items.entries();
  const runWorker = async () => {
    for (const [index, item] of remaining) results[index] = await map(item);
  };
  await Promise.all(Array.from({ length: concurrency }, runWorker));
  return results;
}
