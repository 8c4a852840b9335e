/**
 * Shows the option `background` behind the model and the poster.
 *
 * @param color `#rrggbb`, `#rgb` or `transparent`; undefined for the gradient of the theme
 */
export function setBackground({ dataset, style }: HTMLElement, color: string | undefined): void {
  if (color === undefined) {
    delete dataset.ownBackground;
    return;
  }
  dataset.ownBackground = color;
  style.setProperty('--own-background', color);
}
