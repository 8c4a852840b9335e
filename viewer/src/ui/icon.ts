const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';

/** An icon that screen readers ignore. Path data is for a box of 24 by 24. */
export type Icon = { element: SVGElement; setPath(data: string): void };

export function createIcon(pathData = ''): Icon {
  const element = document.createElementNS(SVG_NAMESPACE, 'svg');
  const path = document.createElementNS(SVG_NAMESPACE, 'path');
  const setPath = (data: string) => path.setAttribute('d', data);
  element.setAttribute('viewBox', '0 0 24 24');
  element.setAttribute('aria-hidden', 'true');
  element.append(path);
  setPath(pathData);
  return { element, setPath };
}
