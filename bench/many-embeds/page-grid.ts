/** How the embeds of a page are arranged. CSS pixels. */
export const CELL = { width: 400, height: 300 };
export const COLUMNS = 2;
const ROWS_IN_VIEW = 4;
/** Eight embeds are in view. */
export const VIEWPORT = { width: COLUMNS * CELL.width, height: ROWS_IN_VIEW * CELL.height };

/** The height of a page with this many embeds. */
export function getPageHeight(embeds: number): number {
  return Math.ceil(embeds / COLUMNS) * CELL.height;
}

/** Returns where the embeds in view are, in the order of the page. */
export function listCellsInView(embeds: number) {
  const count = Math.min(embeds, COLUMNS * ROWS_IN_VIEW);
  return Array.from({ length: count }, (_, index) => ({
    left: (index % COLUMNS) * CELL.width,
    top: Math.floor(index / COLUMNS) * CELL.height,
    ...CELL,
  }));
}

const GRID_CSS = `html,body{margin:0;height:auto}body{display:grid;grid-template-columns:repeat(${COLUMNS},${CELL.width}px)}model-viewer{width:${CELL.width}px;height:${CELL.height}px}`;

/** Changes the page of one model-viewer: it shows the model many times. */
export function repeatModelViewer(html: string, embeds: number): string {
  const inView = listCellsInView(embeds).length;
  return html
    .replace('<html ', `<html data-in-view="${inView}" `)
    .replace('</style>', `${GRID_CSS}</style>`)
    .replace(/<model-viewer.*<\/model-viewer>/, (element) => element.repeat(embeds));
}
