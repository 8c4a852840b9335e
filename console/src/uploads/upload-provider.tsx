import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
} from 'react';
import { useDesignEvents } from '../designs/use-design-events.ts';
import { useApi } from '../session/session-provider.tsx';
import { isUnsent } from './upload-item.ts';
import { UploadQueue, type UploadsSnapshot } from './upload-queue.ts';

const UploadContext = createContext<UploadQueue | undefined>(undefined);

/** Keeps the uploads, whatever page is shown, and follows the changes of designs. */
export function UploadProvider({ children }: { children: ReactNode }) {
  const client = useApi();
  const [queue, setQueue] = useState<UploadQueue>();
  useEffect(() => {
    const created = new UploadQueue(client);
    setQueue(created);
    return () => created[Symbol.dispose]();
  }, [client]);
  useDesignEvents(queue);
  useWarningBeforeLeaving(queue);
  return queue && <UploadContext value={queue}>{children}</UploadContext>;
}

/** The uploads of this tab. */
export function useUploadQueue(): UploadQueue {
  const queue = useContext(UploadContext);
  if (queue === undefined) throw new Error('There is no provider of uploads.');
  return queue;
}

/** What the pages show about uploads. */
export function useUploads(): UploadsSnapshot {
  const queue = useUploadQueue();
  return useSyncExternalStore(queue.subscribe, queue.getSnapshot);
}

/** Files that are not sent completely must be chosen again after the page was left. */
function useWarningBeforeLeaving(queue: UploadQueue | undefined): void {
  useEffect(() => {
    if (queue === undefined) return;
    const onBeforeUnload = (event: BeforeUnloadEvent) => {
      if (queue.getSnapshot().items.some(isUnsent)) event.preventDefault();
    };
    addEventListener('beforeunload', onBeforeUnload);
    return () => removeEventListener('beforeunload', onBeforeUnload);
  }, [queue]);
}
