import type { Design } from '@cloche/contract/design';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { texts } from '../i18n/en.ts';
import { useApi, usePermissions } from '../session/session-provider.tsx';
import { type DesignEventListener, followDesigns } from './design-events.ts';
import {
  type DesignPages,
  hasDesign,
  prependDesign,
  removeDesign,
  replaceDesign,
  setProgress,
} from './design-list.ts';
import { type DesignListSearch, startsWithNewest } from './design-search.ts';
import { OWN_STORAGE_KEY } from './own-storage.tsx';
import { DESIGN_LIST_KEY } from './use-designs.ts';
import { TAG_LIST_KEY } from './use-tags.ts';

/** Many changes within this time cause one request. */
const REFETCH_DELAY_MS = 1_000;

/** Keeps what the pages show about designs up to date, with one event stream. `other` also receives the events. */
export function useDesignEvents(other: DesignEventListener | undefined): void {
  const queryClient = useQueryClient();
  const api = useApi();
  const { mayRead } = usePermissions();
  useEffect(() => {
    if (!mayRead || other === undefined) return;
    const updater = createUpdater(queryClient);
    const stream = followDesigns(mergeListeners(updater, other), () => {
      void api.checkSession(texts.sessions);
    });
    return () => {
      stream[Symbol.dispose]();
      updater[Symbol.dispose]();
    };
  }, [queryClient, api, mayRead, other]);
}

function mergeListeners(
  first: DesignEventListener,
  second: DesignEventListener,
): DesignEventListener {
  return {
    onDesign: (design) => {
      first.onDesign(design);
      second.onDesign(design);
    },
    onProgress: (progress) => {
      first.onProgress(progress);
      second.onProgress(progress);
    },
    onDeleted: (id) => {
      first.onDeleted(id);
      second.onDeleted(id);
    },
    onOpen: () => {
      first.onOpen();
      second.onOpen();
    },
    onReset: () => {
      first.onReset();
      second.onReset();
    },
  };
}

/** Updates the lists of designs in the cache. */
function createUpdater(queryClient: QueryClient): DesignEventListener & Disposable {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let tagTimer: ReturnType<typeof setTimeout> | undefined;
  const lists = { queryKey: DESIGN_LIST_KEY };
  const refetchTagsSoon = () => {
    tagTimer ??= setTimeout(() => {
      tagTimer = undefined;
      void queryClient.invalidateQueries({ queryKey: TAG_LIST_KEY });
      void queryClient.invalidateQueries({ queryKey: OWN_STORAGE_KEY });
    }, REFETCH_DELAY_MS);
  };
  const refetchSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void queryClient.invalidateQueries(lists, { cancelRefetch: false });
    }, REFETCH_DELAY_MS);
  };
  /** What is being read may be older than a change that has just arrived. */
  const repeatReads = (id: string) => {
    const repeat = (queryKey: QueryKey, read: () => void) => {
      for (const query of queryClient
        .getQueryCache()
        .findAll({ queryKey, fetchStatus: 'fetching' }))
        void query.promise?.catch(() => undefined).then(read);
    };
    repeat(DESIGN_LIST_KEY, refetchSoon);
    const design = { queryKey: ['design', id] };
    const read = () => void queryClient.invalidateQueries(design, { cancelRefetch: false });
    repeat(design.queryKey, read);
  };
  const update = (change: (pages: DesignPages) => DesignPages) =>
    void queryClient.setQueriesData<DesignPages>(lists, (pages) => pages && change(pages));
  return {
    onDesign: (design) => {
      repeatReads(design.id);
      for (const [key, pages] of queryClient.getQueriesData<DesignPages>(lists)) {
        if (pages === undefined) continue;
        if (hasDesign(pages, design.id)) {
          queryClient.setQueryData(key, replaceDesign(pages, design));
        } else if (startsWithNewest(key.at(-1) as DesignListSearch) && isNewer(design, pages)) {
          queryClient.setQueryData(key, prependDesign(pages, design));
        } else refetchSoon();
      }
      refetchTagsSoon();
      void queryClient.invalidateQueries({ queryKey: ['design', design.id] });
    },
    onProgress: (progress) => {
      update((pages) => setProgress(pages, progress));
      const { id, ...step } = progress;
      queryClient.setQueryData<{ design: Design }>(
        ['design', id],
        (old) => old && { ...old, design: { ...old.design, status: 'processing', progress: step } },
      );
    },
    onDeleted: (id) => {
      repeatReads(id);
      update((pages) => removeDesign(pages, id));
      refetchTagsSoon();
      void queryClient.invalidateQueries({ queryKey: ['design', id] });
    },
    onOpen: () => {
      // What is still being read is shown after the stream was opened: its later changes arrive.
      const options = { cancelRefetch: false };
      for (const queryKey of [DESIGN_LIST_KEY, ['design']])
        void queryClient.invalidateQueries({ queryKey }, options);
    },
    onReset: () => {
      refetchSoon();
      refetchTagsSoon();
      void queryClient.invalidateQueries({ queryKey: ['design'] });
    },
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      clearTimeout(tagTimer);
    },
  };
}

/** Whether a design is newer than the first one of a list. */
function isNewer({ createdAt }: DesignPages['pages'][0]['items'][0], { pages }: DesignPages) {
  const first = pages[0]?.items[0];
  return first === undefined || createdAt >= first.createdAt;
}
