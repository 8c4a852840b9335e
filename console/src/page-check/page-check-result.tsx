import type { PageCheck } from '@cloche/contract/page-check';
import { useEffect, useRef } from 'react';
import { pageCheckTexts } from '../i18n/en/page-check.ts';
import { Badge } from '../ui/badge.tsx';
import { formatInteger } from '../ui/format.ts';
import { FindingList } from './finding-list.tsx';
import { PageEmbedCard } from './page-embed-card.tsx';

/** What is wrong with a page and its embeds. */
export function PageCheckResult({ check }: { check: PageCheck }) {
  const t = pageCheckTexts;
  const { url, redirects, summary, findings, embeds, embedCount } = check;
  const heading = useRef<HTMLHeadingElement>(null);
  // The result appears after seconds: the focus goes to it, as after the load of a page.
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <section className="card">
        <h2 ref={heading} tabIndex={-1}>
          {t.result} <PageBadge check={check} />
        </h2>
        <p role="status">{summary}</p>
        <dl className="facts">
          <dt>{t.page}</dt>
          <dd>
            <a href={url} target="_blank" rel="noopener noreferrer">
              {url}
            </a>
          </dd>
          {redirects.map((redirect) => (
            <div key={redirect} className="contents">
              <dt>{t.redirectedFrom}</dt>
              <dd>{redirect}</dd>
            </div>
          ))}
        </dl>
      </section>
      {findings.length > 0 && (
        <section className="card">
          <h2>{t.pageFindings}</h2>
          <FindingList findings={findings} />
        </section>
      )}
      {embeds.map((embed, index) => (
        // The list never changes.
        <PageEmbedCard key={index} embed={embed} />
      ))}
      {embedCount > embeds.length && (
        <p>{t.more(formatInteger(embeds.length), formatInteger(embedCount))}</p>
      )}
    </>
  );
}

function PageBadge({ check: { shows, embedCount } }: { check: PageCheck }) {
  const t = pageCheckTexts;
  if (embedCount === 0) return <Badge tone="warning">{t.none}</Badge>;
  if (shows === null) return <Badge>{t.unknown}</Badge>;
  return <Badge tone={shows ? 'good' : 'bad'}>{shows ? t.shows : t.showsNot}</Badge>;
}
