import { Problem } from '@cloche/contract/problem';
import { getLimitLabel, type LimitName, type ValidationLimits } from './limits.ts';

const MIB = 1024 * 1024;
/** Decoded bytes that even the smallest file may have. */
const EXPANSION_ALLOWANCE_BYTES = 16 * MIB;
/** Uncompressed bytes that even the smallest archive may have. */
const INFLATION_ALLOWANCE_BYTES = 32 * MIB;

/** A place in a file, for messages: `accessors[3]`, `line 7`. */
export type Location = { readonly path: string };

/**
 * Refuses an amount beyond a limit.
 *
 * @throws {Problem} design.too-complex, with the limit's name in kebab case as its reason
 */
export function assertWithinLimit(
  name: LimitName,
  amount: number,
  limits: ValidationLimits,
  location?: Location,
): void {
  if (amount <= limits[name]) return;
  const suffix = location === undefined ? '' : ` (counted up to ${location.path})`;
  throw new Problem('design.too-complex', {
    detail: `The file has at least ${formatNumber(amount)} ${getLimitLabel(name)}; at most ${formatNumber(limits[name])} are allowed${suffix}.`,
    reason: name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  });
}

/**
 * Refuses data that decodes to far more than its stored bytes.
 *
 * @throws {Problem} design.too-complex, reason expansion
 */
export function assertExpansionRatio(
  decodedBytes: number,
  storedBytes: number,
  limits: ValidationLimits,
  location: Location,
): void {
  const ratio = Math.ceil((decodedBytes - EXPANSION_ALLOWANCE_BYTES) / Math.max(storedBytes, 1));
  assertWithinLimit('expansion', ratio, limits, location);
}

/**
 * Refuses deflated data that inflates to far more than its compressed bytes: archives, and arrays in
 * an FBX.
 *
 * @throws {Problem} design.too-complex, reason inflation
 */
export function assertInflationRatio(
  uncompressedBytes: number,
  compressedBytes: number,
  limits: ValidationLimits,
): void {
  const excessBytes = uncompressedBytes - INFLATION_ALLOWANCE_BYTES;
  assertWithinLimit('inflation', Math.ceil(excessBytes / Math.max(compressedBytes, 1)), limits);
}

/** Counts what a file would decode to, by limit. Exceeding a limit throws. */
export class Budget {
  readonly limits: ValidationLimits;
  readonly #totals = new Map<LimitName, number>();

  constructor(limits: ValidationLimits) {
    this.limits = limits;
  }

  /** @throws {Problem} design.too-complex */
  add(name: LimitName, amount: number, location?: Location): void {
    const total = this.getTotal(name) + amount;
    this.#totals.set(name, total);
    assertWithinLimit(name, total, this.limits, location);
  }

  getTotal(name: LimitName): number {
    return this.#totals.get(name) ?? 0;
  }
}

/** Formats a number for a message, with thousands separators. */
export function formatNumber(amount: number): string {
  return Number.isFinite(amount) ? amount.toLocaleString('en') : 'infinitely many';
}
