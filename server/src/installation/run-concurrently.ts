/** Runs an operation for each item, at most `concurrency` at a time. After an error, no other one is begun. */
export async function runConcurrently<Item>(
  items: Iterable<Item>,
  concurrency: number,
  operation: (item: Item) => Promise<void>,
): Promise<void> {
  // All of them take their next item from one iterator.
  const remaining = Iterator.from(items);
  let failed = false;
  const run = async () => {
    for (let next = remaining.next(); !failed && !next.done; next = remaining.next()) {
      try {
        await operation(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: concurrency }, run));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
