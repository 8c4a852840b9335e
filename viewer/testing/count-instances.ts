import type { CDPSession } from 'playwright-core';

type HeapSnapshot = {
  snapshot: { meta: { node_fields: string[]; node_types: [string[]] } };
  nodes: number[];
  strings: string[];
};

/** Counts the objects of a class in all documents of the process. */
export async function countInstances(session: CDPSession, className: string): Promise<number> {
  const chunks: string[] = [];
  const onChunk = ({ chunk }: { chunk: string }) => chunks.push(chunk);
  session.on('HeapProfiler.addHeapSnapshotChunk', onChunk);
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  session.off('HeapProfiler.addHeapSnapshotChunk', onChunk);
  const { snapshot, nodes, strings } = JSON.parse(chunks.join('')) as HeapSnapshot;
  const { node_fields: fields, node_types } = snapshot.meta;
  const [typeOffset, nameOffset] = [fields.indexOf('type'), fields.indexOf('name')];
  let count = 0;
  for (let index = 0; index < nodes.length; index += fields.length) {
    // The class itself has the same name, and another type.
    const type = node_types[0][nodes[index + typeOffset] as number];
    if (type === 'object' && strings[nodes[index + nameOffset] as number] === className) count++;
  }
  return count;
}
