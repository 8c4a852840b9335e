/** A place on the screen, in pixels. */
export type PixelPosition = readonly [x: number, y: number];

type ColourPredicate = (red: number, green: number, blue: number) => boolean;

/** The first and the last pixel of each row and of each column that match. */
export function findSilhouette(
  { data, width }: { data: Uint8Array; width: number },
  matches: ColourPredicate,
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

/** How far the dot that is farthest from the others is from the nearest of them. */
export function directedHausdorffDistance(
  dots: readonly PixelPosition[],
  others: readonly PixelPosition[],
): number {
  return Math.max(
    ...dots.map(([x, y]) => Math.min(...others.map(([ox, oy]) => Math.hypot(x - ox, y - oy)))),
  );
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at);
}
