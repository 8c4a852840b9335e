import type { Design } from '@cloche/contract/design';
import { type CSSProperties, memo } from 'react';
import { texts } from '../i18n/en.ts';
import { DesignPoster } from './design-poster.tsx';
import { type DesignListSearch, toDesignHref, toListHref } from './design-search.ts';
import { DesignState } from './design-state.tsx';
import { ListLink } from './list-link.tsx';
import type { Selection } from './use-selection.ts';

type DesignCardProps = {
  design: Design;
  /** What the list shows. */
  search: DesignListSearch;
  now: Date;
  /** From 1. */
  position: number;
  total: number;
  left: number;
  top: number;
  width: number;
  height: number;
  isSelected: boolean;
  onSelect: Selection['toggle'];
};

/** One design in the list. */
export const DesignCard = memo(function DesignCard({
  design,
  search,
  now,
  position,
  total,
  isSelected,
  onSelect,
  ...box
}: DesignCardProps) {
  const { id, name, tags } = design;
  const style: CSSProperties = {
    transform: `translate(${box.left}px, ${box.top}px)`,
    width: box.width,
    height: box.height,
  };
  return (
    <li
      className={isSelected ? 'design-card selected' : 'design-card'}
      style={style}
      aria-setsize={total}
      aria-posinset={position}
    >
      <DesignPoster design={design} />
      <label className="design-select">
        <input
          type="checkbox"
          checked={isSelected}
          aria-label={texts.designs.select(name)}
          onChange={({ nativeEvent }) =>
            onSelect(design, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
          }
        />
      </label>
      <div className="design-text">
        <h2 className="card-name">
          <ListLink href={toDesignHref(id)} title={name}>
            <bdi>{name}</bdi>
          </ListLink>
        </h2>
        <DesignState design={design} now={now} />
        {tags.length > 0 && (
          <p className="card-tags">
            {tags.map((tag) => (
              <ListLink key={tag} href={toListHref({ ...search, tag })} title={tag}>
                <bdi>{tag}</bdi>
              </ListLink>
            ))}
          </p>
        )}
      </div>
    </li>
  );
});
