import type { Design, DesignList } from '@cloche/contract/design';
import type { InfiniteData } from '@tanstack/react-query';

/** The pages of a list that were loaded. */
export type DesignPages = InfiniteData<DesignList>;

/** The progress of a design, from the event stream. */
export type DesignProgress = NonNullable<Design['progress']> & Pick<Design, 'id'>;

/** Returns the designs of all pages, each once: while a list is read, designs can move to another page. */
export function listDesigns(pages: DesignPages | undefined): Design[] {
  const designs = new Map<string, Design>();
  for (const page of pages?.pages ?? [])
    for (const design of page.items) if (!designs.has(design.id)) designs.set(design.id, design);
  return [...designs.values()];
}

export function hasDesign(pages: DesignPages, id: string): boolean {
  return pages.pages.some(({ items }) => items.some((design) => design.id === id));
}

/** Replaces a design by its new state. */
export function replaceDesign(pages: DesignPages, changed: Design): DesignPages {
  return mapItems(pages, changed.id, () => changed);
}

/** Sets the progress of a design. */
export function setProgress(pages: DesignPages, { id, ...progress }: DesignProgress): DesignPages {
  return mapItems(pages, id, (design) => ({ ...design, status: 'processing', progress }));
}

/** Removes a design. */
export function removeDesign(pages: DesignPages, id: string): DesignPages {
  return mapItems(pages, id, () => undefined);
}

/** Adds a design before all others. */
export function prependDesign(pages: DesignPages, design: Design): DesignPages {
  const [first, ...rest] = pages.pages;
  if (first === undefined) return pages;
  return { ...pages, pages: [{ ...first, items: [design, ...first.items] }, ...rest] };
}

/** Pages without the design remain the same object, so that nothing is rendered again. */
function mapItems(
  pages: DesignPages,
  id: string,
  change: (design: Design) => Design | undefined,
): DesignPages {
  if (!hasDesign(pages, id)) return pages;
  return {
    ...pages,
    pages: pages.pages.map((page) =>
      page.items.some((design) => design.id === id)
        ? {
            ...page,
            items: page.items.flatMap((design) =>
              design.id === id ? (change(design) ?? []) : design,
            ),
          }
        : page,
    ),
  };
}
