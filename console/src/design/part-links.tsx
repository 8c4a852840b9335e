import type { Design } from '@cloche/contract/design';
import { useEffect } from 'react';
import { texts } from '../i18n/en.ts';
import { listComparableRevisions, useRevisions } from './use-design.ts';

/** The links to the parts of the page of a design. The address can name a part. */
export function PartLinks({ design }: { design: Design }) {
  const revisions = useRevisions(design);
  // The part is not in the page yet when the browser looks for it.
  useEffect(() => document.getElementById(location.hash.slice(1))?.scrollIntoView(), []);
  const parts: (keyof typeof texts.design.partNames)[] = ['details', 'options', 'files'];
  if (design.report) parts.push('report');
  if (design.revision !== null) parts.push('poster');
  if (listComparableRevisions(revisions.data).length > 0) parts.push('comparison');
  return (
    <nav className="design-parts" aria-label={texts.design.parts}>
      <ul>
        {parts.map((part) => (
          <li key={part}>
            <a href={`#${part}`}>{texts.design.partNames[part]}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
