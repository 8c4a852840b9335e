/** Formats a number as a real of ISO 10303-21 (STEP, IFC): always with a decimal point. */
export function formatReal(value: number): string {
  // Adding zero turns -0 into 0.
  return Number.isInteger(value) ? `${value + 0}.` : String(value);
}
