import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { texts } from '../i18n/en.ts';
import { Button } from '../ui/button.tsx';
import { InterruptedNotice } from './interrupted-notice.tsx';
import { isFinished } from './upload-item.ts';
import { useUploadQueue, useUploads } from './upload-provider.tsx';
import type { UploadQueue } from './upload-queue.ts';
import { UploadRow } from './upload-row.tsx';
import './uploads.css';

/** The uploads, over every page of the console. */
export function UploadPanel() {
  const { items, interrupted, lastId } = useUploads();
  const queue = useUploadQueue();
  const [isOpen, setOpen] = useOpenList(queue, lastId);
  useDropsIgnored();
  if (items.length === 0 && interrupted.length === 0) return null;
  const finished = items.filter(isFinished);
  const failedCount = items.filter(({ state }) => state === 'failed').length;
  return (
    <section className="upload-panel" aria-label={texts.uploads.title}>
      {interrupted.length > 0 && <InterruptedNotice uploads={interrupted} />}
      {items.length > 0 && (
        <>
          <header className="upload-header">
            <p role="status">
              {texts.uploads.summary(finished.length, items.length)}
              {failedCount > 0 && `, ${texts.uploads.summaryFailed(failedCount)}`}
            </p>
            {finished.length > 0 && (
              <Button onClick={() => queue.clearFinished()}>{texts.uploads.clearFinished}</Button>
            )}
            <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? texts.uploads.hide : texts.uploads.show}
            </Button>
          </header>
          {isOpen && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a long list scrolls with the keyboard
            <ul className="upload-list" tabIndex={0} aria-label={texts.uploads.title}>
              {items.map((item) => (
                <UploadRow key={item.id} item={item} queue={queue} />
              ))}
            </ul>
          )}
        </>
      )}
    </section>
  );
}

/**
 * Whether the list is open, and the function that changes it. When another page is opened, the list is closed and uploads that
 * need no attention are removed: the panel would cover what that page is for. New uploads open the list.
 */
function useOpenList(queue: UploadQueue, lastId: number) {
  const [isOpen, setOpen] = useState(true);
  const path = useLocation({ select: ({ pathname }) => pathname });
  useEffect(() => {
    setOpen(false);
    queue.clearSettled();
  }, [path, queue]);
  useEffect(() => setOpen(true), [lastId]);
  return [isOpen, setOpen] as const;
}

/** A file that is dropped beside a place for files would be opened instead of the console. */
function useDropsIgnored(): void {
  useEffect(() => {
    const ignore = (event: DragEvent) => {
      if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'none';
    };
    window.addEventListener('dragover', ignore);
    window.addEventListener('drop', ignore);
    return () => {
      window.removeEventListener('dragover', ignore);
      window.removeEventListener('drop', ignore);
    };
  }, []);
}
