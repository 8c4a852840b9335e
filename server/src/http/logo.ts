/** Creates the logo for an HTML page. It has the color of the text around it. */
export function createLogoSvg(strokeWidth: number): string {
  return `<svg viewBox="0 0 40 40" fill="none" stroke="currentColor" stroke-width="${strokeWidth}" stroke-linecap="round" aria-hidden="true"><path d="M8 31V20a12 12 0 0 1 24 0v11"/><path d="M4 31h32M7 36h26M20 8V5"/></svg>`;
}
