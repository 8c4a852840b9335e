/** Sets the name of the 3D view. */
export function setTitle(document: Document, title: string): void {
  document.title = title;
  const heading = document.querySelector('h1');
  if (heading !== null) heading.textContent = title;
  document.getElementById('view')?.setAttribute('aria-label', title);
}
