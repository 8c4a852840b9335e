import type { DesignTag } from '@cloche/contract/tag';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { texts } from '../i18n/en.ts';
import { Field } from '../ui/field.tsx';
import { type DesignListSearch, getSort, SORTS } from './design-search.ts';

/** While someone types, the search waits so long for the next letter. */
const DEBOUNCE_MS = 200;

type DesignFiltersProps = { search: DesignListSearch; tags: readonly DesignTag[] };

/** The search, the filter by tag and the order. All of them are in the address of the page. */
export function DesignFilters({ search, tags }: DesignFiltersProps) {
  const navigate = useNavigate({ from: '/designs' });
  const change = (changed: Partial<DesignListSearch>) =>
    void navigate({
      search: (before) => ({ ...before, ...changed }),
      replace: true,
      resetScroll: false,
    });
  // The tag in the address may have been removed from all designs.
  const isUnknown = Boolean(search.tag) && !tags.some(({ tag }) => tag === search.tag);
  return (
    <search className="design-filters">
      <SearchField text={search.q ?? ''} onChange={(q) => change({ q })} />
      <Field label={texts.designs.tag}>
        {(control) => (
          <select
            {...control}
            value={search.tag ?? ''}
            onChange={({ target }) => change({ tag: target.value })}
          >
            <option value="">{texts.designs.allTags}</option>
            {isUnknown && <option value={search.tag}>{search.tag}</option>}
            {tags.map(({ tag, designs }) => (
              <option key={tag} value={tag}>
                {texts.designs.tagOption(tag, designs)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={texts.designs.sort}>
        {(control) => (
          <select
            {...control}
            value={getSort(search)}
            onChange={({ target }) => change({ sort: target.value })}
          >
            {SORTS.map((sort) => (
              <option key={sort} value={sort}>
                {texts.designs.sorts[sort]}
              </option>
            ))}
          </select>
        )}
      </Field>
    </search>
  );
}

function SearchField({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const [shown, setShown] = useState(text);
  // The address changed in another way, such as by the back button.
  if (shown !== text) {
    setShown(text);
    if (text !== typed.trim()) setTyped(text);
  }
  // Only a change of the text starts the timer.
  useEffect(() => {
    if (typed.trim() === text) return;
    const timer = setTimeout(() => onChange(typed.trim()), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <Field label={texts.designs.search}>
      {(control) => (
        <input
          {...control}
          type="search"
          value={typed}
          maxLength={200}
          autoComplete="off"
          placeholder={texts.designs.searchHint}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
    </Field>
  );
}
