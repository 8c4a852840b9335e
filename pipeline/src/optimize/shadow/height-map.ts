/**
 * The corners of a triangle: x, height and z, three times. x and z are in samples, the height above the
 * ground is in any unit.
 */
export type Corners = Float64Array;

/** The axis along which a triangle is divided into rows of samples: the offset in a corner. */
type RowAxis = 0 | 2;

/** The part of a triangle in one row: from where to where, and its heights. Empty if start > end. */
type RowSpan = { start: number; end: number; lowest: number; highest: number };

/** A surface: `height = offset + perRow * row + perSample * sample`, within ± `tolerance` in one sample. */
type Plane = { offset: number; perRow: number; perSample: number; tolerance: number };

/** An opacity covers the samples with a lower threshold (Bayer matrix): evenly, in 16 steps. */
const OPACITY_THRESHOLDS = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5].map(
  (rank) => (rank + 0.5) / 16,
);

/** The lowest and the highest point of a model above each sample of the ground. */
export class HeightMap {
  readonly width: number;
  readonly depth: number;
  /** The lowest heights, in rows along x; Infinity where there is nothing. */
  readonly lowest: Float32Array;
  /** The highest heights; -Infinity where there is nothing. */
  readonly highest: Float32Array;
  readonly #span: RowSpan = { start: 0, end: 0, lowest: 0, highest: 0 };
  #operationCount = 0;

  /** Width and depth are the numbers of samples along x and z. */
  constructor({ width, depth }: { width: number; depth: number }) {
    this.width = width;
    this.depth = depth;
    this.lowest = new Float32Array(width * depth).fill(Infinity);
    this.highest = new Float32Array(width * depth).fill(-Infinity);
  }

  /** The number of triangles, rows and samples visited: the time is proportional to it. */
  get operationCount(): number {
    return this.#operationCount;
  }

  /**
   * Adds a triangle to every sample that it touches, however thin it is: if only the centers of samples
   * counted, a thin rod would become a dotted line. Ignores triangles with coordinates that are not finite.
   *
   * @param opacity the share of the samples that the triangle covers, from 0 to 1
   */
  addTriangle(corners: Corners, opacity: number): void {
    this.#operationCount++;
    let sum = 0;
    for (let index = 0; index < 9; index++) sum += corners[index] as number;
    if (!Number.isFinite(sum)) return;
    const minX = minOf(corners, 0);
    const maxX = maxOf(corners, 0);
    const minZ = minOf(corners, 2);
    const maxZ = maxOf(corners, 2);
    const x = toIndex(minX, this.width);
    const z = toIndex(minZ, this.depth);
    if (x === toIndex(maxX, this.width) && z === toIndex(maxZ, this.depth)) {
      this.#addToSample(z * this.width + x, minOf(corners, 1), maxOf(corners, 1), opacity);
    } else {
      // Along the longer side, so that each row has few samples, whose heights are similar.
      this.#addRows(corners, maxX - minX > maxZ - minZ ? 0 : 2, opacity);
    }
  }

  #addRows(corners: Corners, rowAxis: RowAxis, opacity: number): void {
    const isAlongX = rowAxis === 0;
    const rowCount = isAlongX ? this.width : this.depth;
    const sampleCount = isAlongX ? this.depth : this.width;
    const rowStride = isAlongX ? 1 : this.width;
    const sampleStride = isAlongX ? this.width : 1;
    const plane = computePlane(corners, rowAxis);
    const lastRow = toIndex(maxOf(corners, rowAxis), rowCount);
    const span = this.#span;
    for (let row = toIndex(minOf(corners, rowAxis), rowCount); row <= lastRow; row++) {
      clipToRow(corners, rowAxis, row, span);
      if (span.start > span.end) continue;
      const first = toIndex(span.start, sampleCount);
      const last = toIndex(span.end, sampleCount);
      this.#operationCount += 2 + last - first;
      const rowHeight = plane.offset + plane.perRow * (row + 0.5);
      for (let sample = first; sample <= last; sample++) {
        const height = rowHeight + plane.perSample * (sample + 0.5);
        const lowest = clamp(height - plane.tolerance, span.lowest, span.highest);
        const highest = clamp(height + plane.tolerance, span.lowest, span.highest);
        this.#addToSample(row * rowStride + sample * sampleStride, lowest, highest, opacity);
      }
    }
  }

  #addToSample(index: number, lowest: number, highest: number, opacity: number): void {
    if (opacity < 1) {
      const cell = (Math.floor(index / this.width) % 4) * 4 + ((index % this.width) % 4);
      if ((OPACITY_THRESHOLDS[cell] as number) >= opacity) return;
    }
    if (lowest < (this.lowest[index] as number)) this.lowest[index] = lowest;
    if (highest > (this.highest[index] as number)) this.highest[index] = highest;
  }
}

function minOf(corners: Corners, offset: number): number {
  return Math.min(
    corners[offset] as number,
    corners[offset + 3] as number,
    corners[offset + 6] as number,
  );
}

function maxOf(corners: Corners, offset: number): number {
  return Math.max(
    corners[offset] as number,
    corners[offset + 3] as number,
    corners[offset + 6] as number,
  );
}

function toIndex(coordinate: number, count: number): number {
  return clamp(Math.floor(coordinate), 0, count - 1);
}

function clamp(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(max, value));
}

/** Computes the plane of a triangle. That of a vertical one has an infinite tolerance. */
function computePlane(corners: Corners, rowAxis: RowAxis): Plane {
  const sampleAxis = 2 - rowAxis;
  const row = corners[rowAxis] as number;
  const sample = corners[sampleAxis] as number;
  const height = corners[1] as number;
  const abRow = (corners[3 + rowAxis] as number) - row;
  const acRow = (corners[6 + rowAxis] as number) - row;
  const abSample = (corners[3 + sampleAxis] as number) - sample;
  const acSample = (corners[6 + sampleAxis] as number) - sample;
  const abHeight = (corners[4] as number) - height;
  const acHeight = (corners[7] as number) - height;
  const determinant = abRow * acSample - acRow * abSample;
  const perRow = (abHeight * acSample - acHeight * abSample) / determinant;
  const perSample = (abRow * acHeight - acRow * abHeight) / determinant;
  const offset = height - perRow * row - perSample * sample;
  const tolerance = (Math.abs(perRow) + Math.abs(perSample)) / 2;
  if (Number.isFinite(offset + tolerance)) return { offset, perRow, perSample, tolerance };
  return { offset: 0, perRow: 0, perSample: 0, tolerance: Infinity };
}

/** Computes the part of a triangle between `row` and `row + 1`. No objects: it runs for each row of each triangle. */
function clipToRow(corners: Corners, rowAxis: RowAxis, row: number, span: RowSpan): void {
  span.start = span.lowest = Infinity;
  span.end = span.highest = -Infinity;
  for (let from = 0; from < 9; from += 3) {
    const to = (from + 3) % 9;
    const fromRow = corners[from + rowAxis] as number;
    const length = (corners[to + rowAxis] as number) - fromRow;
    // Where the edge enters and leaves the row, as shares of its length. An edge along the row is between
    // two others, whose ends are the same.
    if (length === 0) continue;
    const atStart = (row - fromRow) / length;
    const atEnd = (row + 1 - fromRow) / length;
    const enter = Math.max(0, Math.min(atStart, atEnd));
    const leave = Math.min(1, Math.max(atStart, atEnd));
    if (enter > leave) continue;
    expandSpan(span, corners, from, rowAxis, enter);
    expandSpan(span, corners, from, rowAxis, leave);
  }
}

/** Adds the point at a share of the edge that starts at a corner. */
function expandSpan(
  span: RowSpan,
  corners: Corners,
  from: number,
  rowAxis: RowAxis,
  share: number,
): void {
  const to = (from + 3) % 9;
  const sampleAxis = 2 - rowAxis;
  const sample = mix(
    corners[from + sampleAxis] as number,
    corners[to + sampleAxis] as number,
    share,
  );
  const height = mix(corners[from + 1] as number, corners[to + 1] as number, share);
  span.start = Math.min(span.start, sample);
  span.end = Math.max(span.end, sample);
  span.lowest = Math.min(span.lowest, height);
  span.highest = Math.max(span.highest, height);
}

function mix(a: number, b: number, share: number): number {
  return a * (1 - share) + b * share;
}
