import { useEffect, useState } from 'react';
import { texts } from '../i18n/en.ts';
import { readDroppedFiles } from './read-dropped-files.ts';
import { useAddFiles } from './use-add-files.ts';

/** Accepts files and folders that are dropped anywhere on the page, and says so while they are dragged. */
export function DropTarget() {
  const addFiles = useAddFiles();
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const onDragOver = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
      setOver(true);
    };
    // It has no related element when the files leave the window.
    const onDragLeave = ({ relatedTarget }: DragEvent) => relatedTarget === null && setOver(false);
    const onDrop = (event: DragEvent) => {
      setOver(false);
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      addFiles(readDroppedFiles(event.dataTransfer));
    };
    document.addEventListener('dragover', onDragOver);
    document.addEventListener('dragleave', onDragLeave);
    document.addEventListener('drop', onDrop);
    return () => {
      document.removeEventListener('dragover', onDragOver);
      document.removeEventListener('dragleave', onDragLeave);
      document.removeEventListener('drop', onDrop);
    };
  }, [addFiles]);
  if (!isOver) return null;
  return (
    <div className="drop-target">
      <div>
        <p className="drop-title">{texts.uploads.drop}</p>
        <p>{texts.uploads.dropHint}</p>
      </div>
    </div>
  );
}
