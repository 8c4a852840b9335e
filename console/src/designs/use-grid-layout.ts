import type { Design } from '@cloche/contract/design';
import { type RefObject, useLayoutEffect, useState } from 'react';

const GAP_REM = 1;
const MIN_WIDTH_REM = 13;
const MIN_WIDTH_SMALL_REM = 9;
/** The lists of narrow screens have two columns. */
const SMALL_LIST_REM = 36;
/** The name in two lines, and the state, below the poster. */
const TEXT_HEIGHT_REM = 5.5;
const TAGS_HEIGHT_REM = 1.8;
const PROBLEM_HEIGHT_REM = 2.75;
/** In narrower cards, the age is in a line of its own. */
const ONE_LINE_WIDTH_REM = 12;
const AGE_HEIGHT_REM = 1.3;
/** Width to height of the box of a poster. */
const POSTER_RATIO = 4 / 3;

type GridLayout = {
  columns: number;
  cardWidth: number;
  gap: number;
  /** The root font size, in CSS pixels. */
  rem: number;
  /** The distance of the list from the top of the page. */
  top: number;
};

/** The size and number of columns of the cards that fit in an element. */
export function useGridLayout(list: RefObject<HTMLElement | null>): GridLayout {
  const [layout, setLayout] = useState<GridLayout>(() => computeLayout(0, 0));
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return;
    const update = () => {
      const { width, top } = element.getBoundingClientRect();
      // Not in the function below: React may call it later, when the page has been scrolled further.
      const after = computeLayout(width, Math.round(top + scrollY));
      setLayout((before) => (JSON.stringify(after) === JSON.stringify(before) ? before : after));
    };
    const observer = new ResizeObserver(update);
    observer.observe(element);
    // What is above the list can become taller, which moves the list.
    observer.observe(document.body);
    update();
    return () => observer.disconnect();
  }, [list]);
  return layout;
}

function computeLayout(width: number, top: number): GridLayout {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const gap = GAP_REM * rem;
  const minWidth = (width < SMALL_LIST_REM * rem ? MIN_WIDTH_SMALL_REM : MIN_WIDTH_REM) * rem;
  const columns = Math.max(1, Math.floor((width + gap) / (minWidth + gap)));
  const cardWidth = Math.floor((width - gap * (columns - 1)) / columns);
  return { columns, cardWidth, gap, rem, top };
}

/** The heights of the rows. A row has room for tags and problems only if one of its cards needs it. */
export function computeRowHeights(
  designs: readonly Pick<Design, 'tags' | 'problem'>[],
  { columns, cardWidth, rem }: Pick<GridLayout, 'columns' | 'cardWidth' | 'rem'>,
): number[] {
  const ageHeight = cardWidth < ONE_LINE_WIDTH_REM * rem ? AGE_HEIGHT_REM : 0;
  const posterHeight = cardWidth / POSTER_RATIO;
  return Array.from({ length: Math.ceil(designs.length / columns) }, (_, row) => {
    const cards = designs.slice(row * columns, (row + 1) * columns);
    const textHeight = TEXT_HEIGHT_REM + ageHeight + Math.max(...cards.map(computeMoreHeight));
    return Math.round(posterHeight + textHeight * rem);
  });
}

/** The height of what not every card has, in rem. */
function computeMoreHeight({ tags, problem }: Pick<Design, 'tags' | 'problem'>): number {
  return (tags.length > 0 ? TAGS_HEIGHT_REM : 0) + (problem === null ? 0 : PROBLEM_HEIGHT_REM);
}
