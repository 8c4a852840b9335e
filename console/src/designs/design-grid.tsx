import type { Design } from '@cloche/contract/design';
import { useEffect, useMemo, useRef } from 'react';
import { texts } from '../i18n/en.ts';
import { useNow } from '../ui/use-now.ts';
import { DesignCard } from './design-card.tsx';
import { PostersWaitContext } from './design-poster.tsx';
import type { DesignListSearch } from './design-search.ts';
import { useFastScroll } from './use-fast-scroll.ts';
import { computeRowHeights, useGridLayout } from './use-grid-layout.ts';
import type { Selection } from './use-selection.ts';
import { useVisibleRows } from './use-visible-rows.ts';

/** The next page is loaded when so many rows are left. */
const ROWS_AHEAD = 8;
const AGE_REFRESH_MS = 30_000;

type DesignGridProps = {
  designs: readonly Design[];
  search: DesignListSearch;
  selection: Selection;
  hasMore: boolean;
  /** Whether the next page is loaded near the end. Not while the list is read, which that would cancel, nor after it failed. */
  loadsMore: boolean;
  onNearEnd: () => void;
};

/** The cards of the designs. Only those near the visible part of the page are rendered. */
export function DesignGrid({
  designs,
  search,
  selection,
  hasMore,
  loadsMore,
  onNearEnd,
}: DesignGridProps) {
  const list = useRef<HTMLUListElement>(null);
  const { columns, cardWidth, gap, rem, top } = useGridLayout(list);
  const heights = useMemo(
    () => computeRowHeights(designs, { columns, cardWidth, rem }),
    [designs, columns, cardWidth, rem],
  );
  const now = useNow(AGE_REFRESH_MS);
  const isFast = useFastScroll();
  const { rows, listHeight } = useVisibleRows(heights, { gap, listTop: top });
  const lastRow = rows.at(-1)?.index ?? 0;
  const isNearEnd = loadsMore && lastRow + ROWS_AHEAD >= heights.length;
  // By the number of designs: a page may arrive before a render has seen that it is being loaded.
  const loadedCount = isNearEnd ? designs.length : undefined;
  useEffect(() => {
    if (loadedCount !== undefined) onNearEnd();
  }, [loadedCount, onNearEnd]);
  return (
    <PostersWaitContext value={isFast}>
      <ul
        ref={list}
        className="design-grid"
        aria-label={texts.designs.list}
        style={{ height: listHeight }}
      >
        {rows.flatMap(({ index: row, top: rowTop, height }) =>
          designs
            .slice(row * columns, (row + 1) * columns)
            .map((design, column) => (
              <DesignCard
                key={design.id}
                design={design}
                search={search}
                now={now}
                position={row * columns + column + 1}
                total={hasMore ? -1 : designs.length}
                left={column * (cardWidth + gap)}
                top={rowTop}
                width={cardWidth}
                height={height}
                isSelected={selection.selected.has(design.id)}
                onSelect={selection.toggle}
              />
            )),
        )}
      </ul>
    </PostersWaitContext>
  );
}
