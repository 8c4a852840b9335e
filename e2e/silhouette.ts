/** A position in a screenshot, in pixels. */
export type PixelPosition = readonly [x: number, y: number];

type ColorPredicate = (red: number, green: number, blue: number) => boolean;

/** Returns the first and the last matching pixel of each row and each column. */
export function findSilhouette(
  { data, width }: { data: Uint8Array; width: number },
  matches: ColorPredicate,
): PixelPosition[] {
  const height = data.length / 3 / width;
  const matchesAt = ([x, y]: PixelPosition) => {
    const [red = 0, green = 0, blue = 0] = data.subarray(3 * (y * width + x));
    return matches(red, green, blue);
  };
  const rows = range(height).map((y) => range(width).map((x): PixelPosition => [x, y]));
  const columns = range(width).map((x) => range(height).map((y): PixelPosition => [x, y]));
  return [...rows, ...columns].flatMap((line) => {
    const [first, last] = [line.find(matchesAt), line.findLast(matchesAt)];
    return first && last ? [first, last] : [];
  });
}

/** Computes the maximum distance from a point to the nearest of the other points. */
export function directedHausdorffDistance(
  points: readonly PixelPosition[],
  others: readonly PixelPosition[],
): number {
  return Math.max(
    ...points.map(([x, y]) => Math.min(...others.map(([ox, oy]) => Math.hypot(x - ox, y - oy)))),
  );
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
