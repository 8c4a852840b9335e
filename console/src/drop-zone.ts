import { getElement } from './ui/dom.ts';

/** Calls `onFiles` with files that are chosen in the file picker or dropped anywhere on the page. */
export function enableDropZone(onFiles: (files: File[]) => void): void {
  const zone = getElement('drop-zone');
  const input = getElement('file') as HTMLInputElement;
  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])];
    // The same file can be chosen again, for example after a failure.
    input.value = '';
    if (files.length > 0) onFiles(files);
  });
  const setActive = (active: boolean) => zone.classList.toggle('active', active);
  document.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return;
    // Without this the browser opens the file instead.
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
    setActive(true);
  });
  document.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) setActive(false);
  });
  document.addEventListener('drop', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setActive(false);
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length > 0) onFiles(files);
  });
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false;
}
