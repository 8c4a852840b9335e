import { useCallback } from 'react';
import { texts } from '../i18n/en.ts';
import { useToast } from '../ui/toasts.tsx';
import { planUploads } from './plan-uploads.ts';
import type { ChosenFile } from './planned-upload.ts';
import { useUploadQueue } from './upload-provider.tsx';

const MAX_LISTED_NAMES = 3;

/** Returns a function that uploads files, and says which ones are no models. */
export function useAddFiles(): (files: Promise<ChosenFile[]> | ChosenFile[]) => void {
  const queue = useUploadQueue();
  const toast = useToast();
  return useCallback(
    (files) => {
      const add = async () => {
        const { uploads, ignored } = await planUploads(await files);
        queue.add(uploads);
        if (uploads.length === 0) toast(texts.uploads.nothing);
        else if (ignored.length > 0)
          toast(texts.uploads.ignored(ignored.length, listNames(ignored)));
      };
      add().catch((error) => toast(texts.uploads.unreadableFiles(String(error?.message ?? error))));
    },
    [queue, toast],
  );
}

function listNames(paths: readonly string[]): string {
  const rest = paths.length - MAX_LISTED_NAMES;
  const listed = paths.slice(0, MAX_LISTED_NAMES).join(', ');
  return rest > 0 ? listed + texts.uploads.more(rest) : listed;
}
