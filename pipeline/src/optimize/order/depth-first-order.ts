/**
 * Orders the triangles of a mesh so that each shares an edge with one of the last few: the neighbor to the right, then
 * the one to the left, depth first, beginning at a border of the mesh. That is the order of Draco's Edgebreaker, and takes
 * linear time for any mesh.
 *
 * @returns the same triangles; their first corner may be another
 */
export function orderDepthFirst(
  indices: Uint32Array,
  vertexCount: number,
): Uint32Array<ArrayBuffer> {
  const opposites = findOppositeCorners(indices, vertexCount);
  const ordered = new Uint32Array(indices.length);
  const visited = new Uint8Array(indices.length / 3);
  const stack: number[] = [];
  let length = 0;
  const pushUnvisited = (corner: number): void => {
    if (corner >= 0 && visited[Math.floor(corner / 3)] === 0) stack.push(corner);
  };
  const visit = (first: number): void => {
    const triangle = Math.floor(first / 3);
    if (visited[triangle] === 1) return;
    visited[triangle] = 1;
    const second = nextCorner(first);
    const third = nextCorner(second);
    ordered[length++] = indices[first] as number;
    ordered[length++] = indices[second] as number;
    ordered[length++] = indices[third] as number;
    // The last one is visited first.
    pushUnvisited(opposites[third] as number);
    pushUnvisited(opposites[second] as number);
  };
  const visitConnected = (corner: number): void => {
    visit(corner);
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) visit(next);
  };
  for (let corner = 0; corner < indices.length; corner++) {
    if ((opposites[corner] as number) < 0) visitConnected(corner);
  }
  for (let corner = 0; corner < indices.length; corner += 3) visitConnected(corner);
  return ordered;
}

function nextCorner(corner: number): number {
  return corner % 3 === 2 ? corner - 2 : corner + 1;
}

/**
 * For the edge that begins at each corner, the corner at which another triangle has the same edge in the other direction;
 * -1 if there is none. Edges are sorted, not hashed: a file could be made so that all hashes are equal.
 */
function findOppositeCorners(indices: Uint32Array, vertexCount: number): Int32Array {
  const opposites = new Int32Array(indices.length).fill(-1);
  const [ends, lows, highs] = [indices.slice(), indices.slice(), indices.slice()];
  const corners = indices.slice();
  for (let corner = 0; corner < indices.length; corner++) {
    const [start, end] = [indices[corner] as number, indices[nextCorner(corner)] as number];
    ends[corner] = end;
    lows[corner] = Math.min(start, end);
    highs[corner] = Math.max(start, end);
    corners[corner] = corner;
  }
  const sorted = sortByKey(sortByKey(corners, highs, vertexCount), lows, vertexCount);
  let unpaired = -1;
  for (const corner of sorted) {
    const isOpposite =
      unpaired >= 0 &&
      indices[unpaired] === ends[corner] &&
      ends[unpaired] === indices[corner] &&
      indices[corner] !== ends[corner];
    if (isOpposite) {
      opposites[corner] = unpaired;
      opposites[unpaired] = corner;
    }
    unpaired = isOpposite ? -1 : corner;
  }
  return opposites;
}

/** Sorts corners by their keys, which are less than `limit`. Those with the same key keep their order. */
function sortByKey(corners: Uint32Array, keys: Uint32Array, limit: number): Uint32Array {
  const starts = new Uint32Array(limit + 1);
  for (const key of keys) starts[key + 1] = (starts[key + 1] as number) + 1;
  for (let key = 0; key < limit; key++) {
    starts[key + 1] = (starts[key + 1] as number) + (starts[key] as number);
  }
  const sorted = new Uint32Array(corners.length);
  for (const corner of corners) {
    const key = keys[corner] as number;
    const position = starts[key] as number;
    sorted[position] = corner;
    starts[key] = position + 1;
  }
  return sorted;
}
