import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';

type ListLinkProps = { href: string; title: string; children: ReactNode };

/**
 * A link to a page of the console. That of the router follows the location, which takes too long for the many links of a list that is
 * scrolled.
 */
export function ListLink({ href, title, children }: ListLinkProps) {
  const router = useRouter();
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return;
    event.preventDefault();
    void router.navigate({ href });
  };
  return (
    <a href={href} title={title} onClick={follow}>
      {children}
    </a>
  );
}
