/** Numbers with units, as they are written in the language of the document. */
import { getLanguage } from './translate.ts';

/** @param ratio 1 is 100 % */
export function formatPercent(ratio: number): string {
  return formatNumber(ratio, { style: 'percent' });
}

/** Whole degrees: `16°`. */
export function formatDegrees(degrees: number): string {
  return formatNumber(degrees, {
    style: 'unit',
    unit: 'degree',
    unitDisplay: 'narrow',
    maximumFractionDigits: 0,
  });
}

/** Seconds with one decimal place at most: `3.5 sec`. */
export function formatSeconds(seconds: number): string {
  return formatNumber(seconds, { style: 'unit', unit: 'second', maximumFractionDigits: 1 });
}

/** Megabytes of 1,000,000 bytes with one decimal place at most: `3.4 MB`. */
export function formatMegabytes(bytes: number): string {
  return formatNumber(bytes / 1e6, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 });
}

function formatNumber(value: number, options: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(getLanguage(), options).format(value);
}
