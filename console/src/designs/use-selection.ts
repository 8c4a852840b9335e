import type { Design } from '@cloche/contract/design';
import { useCallback, useRef, useState } from 'react';

/** A design that is selected. */
export type SelectedDesign = Pick<Design, 'id' | 'name'>;

export type Selection = {
  selected: ReadonlyMap<string, SelectedDesign>;
  /** Selects a design or not. `isRange`: with all designs between it and the one before. */
  toggle(design: SelectedDesign, isRange: boolean): void;
  replace(designs: readonly SelectedDesign[]): void;
};

/** The designs that are selected in a list. */
export function useSelection(designs: readonly Design[]): Selection {
  const [selected, setSelected] = useState<ReadonlyMap<string, SelectedDesign>>(new Map());
  const lastId = useRef<string>(undefined);
  const current = useRef(designs);
  current.current = designs;

  const toggle = useCallback((design: SelectedDesign, isRange: boolean) => {
    const range = isRange ? findRange(current.current, lastId.current, design.id) : [design];
    lastId.current = design.id;
    setSelected((before) => {
      const after = new Map(before);
      const isAdded = !before.has(design.id);
      for (const each of range) {
        if (isAdded) after.set(each.id, each);
        else after.delete(each.id);
      }
      return after;
    });
  }, []);
  const replace = useCallback((replacement: readonly SelectedDesign[]) => {
    setSelected(new Map(replacement.map((design) => [design.id, design])));
  }, []);
  return { selected, toggle, replace };
}

/** The designs between two, in the order of the list, both included. */
function findRange(
  designs: readonly Design[],
  from: string | undefined,
  to: string,
): readonly SelectedDesign[] {
  const ends = [from ?? to, to].map((id) => designs.findIndex((design) => design.id === id));
  const [start = 0, end = 0] = ends.includes(-1)
    ? [ends[1], ends[1]]
    : ends.toSorted((a, b) => a - b);
  return designs.slice(start, end + 1);
}
