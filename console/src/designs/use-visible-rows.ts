import { useCallback, useMemo, useSyncExternalStore } from 'react';

/** So many rows above and below the window are rendered as well. */
const ROWS_BEYOND = 3;

type Row = {
  index: number;
  /** The distance from the top of the list, in CSS pixels. */
  top: number;
  height: number;
};

type VisibleRows = {
  rows: Row[];
  /** The height of the list, in CSS pixels. */
  listHeight: number;
};

/**
 * The rows of a list that are near the visible part of the page.
 *
 * @param heights the height of each row, in CSS pixels
 * @param gap the distance between rows
 * @param listTop the distance of the list from the top of the page
 */
export function useVisibleRows(
  heights: readonly number[],
  { gap, listTop }: { gap: number; listTop: number },
): VisibleRows {
  const tops = useMemo(() => computeTops(heights, gap), [heights, gap]);
  const getFirst = () => findRow(tops, scrollY - listTop) - ROWS_BEYOND;
  const getLast = () => findRow(tops, scrollY - listTop + innerHeight) + ROWS_BEYOND;
  const first = Math.max(0, useWindowPosition(getFirst));
  const last = Math.min(useWindowPosition(getLast), heights.length - 1);
  const rows = useMemo(() => {
    const visible: Row[] = [];
    for (let index = first; index <= last; index += 1)
      visible.push({ index, top: tops[index] ?? 0, height: heights[index] ?? 0 });
    return visible;
  }, [first, last, tops, heights]);
  return { rows, listHeight: Math.max(0, (tops[heights.length] ?? 0) - gap) };
}

/** Returns the top of each row, and that of a row after the last one. */
export function computeTops(heights: readonly number[], gap: number): number[] {
  const tops = [0];
  let top = 0;
  for (const height of heights) {
    top += height + gap;
    tops.push(top);
  }
  return tops;
}

/** Returns the last row that starts at a position or above it, or the first row. */
export function findRow(tops: readonly number[], position: number): number {
  let [low, high] = [0, tops.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((tops[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A value that follows from the position and the size of the window. */
function useWindowPosition(getValue: () => number): number {
  const subscribe = useCallback((onChange: () => void) => {
    addEventListener('scroll', onChange, { passive: true });
    addEventListener('resize', onChange);
    return () => {
      removeEventListener('scroll', onChange);
      removeEventListener('resize', onChange);
    };
  }, []);
  return useSyncExternalStore(subscribe, getValue);
}
