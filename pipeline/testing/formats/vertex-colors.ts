import type { Document } from '@gltf-transform/core';

/** Lists the different colors of the vertices of the first primitive, as text with 3 decimals. */
export function listVertexColors(document: Document): Set<string> {
  const [mesh] = document.getRoot().listMeshes();
  const colors = mesh?.listPrimitives()[0]?.getAttribute('COLOR_0');
  return new Set(
    Array.from({ length: colors?.getCount() ?? 0 }, (_, vertex) =>
      String(colors?.getElement(vertex, []).map((value) => Math.round(value * 1000) / 1000)),
    ),
  );
}
