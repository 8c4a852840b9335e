import type { PageEmbed } from '@cloche/contract/page-check';
import { Link } from '@tanstack/react-router';
import { pageCheckTexts } from '../i18n/en/page-check.ts';
import { Badge } from '../ui/badge.tsx';
import { formatInteger } from '../ui/format.ts';
import { FindingList } from './finding-list.tsx';

/** An embed of the page: whether it is shown, and what to change. */
export function PageEmbedCard({ embed }: { embed: PageEmbed }) {
  const t = pageCheckTexts;
  const { element, line, design, tokenId, findings } = embed;
  return (
    <section className="card">
      <h2>
        {t.line(element, formatInteger(line))} <EmbedBadge shows={embed.shows} />
      </h2>
      <dl className="facts">
        <dt>{t.design}</dt>
        <dd>
          {design === null ? t.noDesign : <DesignLink id={design} isOwn={tokenId !== null} />}
        </dd>
        <dt>{t.token}</dt>
        <dd>
          {tokenId === null ? (
            t.otherToken
          ) : (
            <Link to="/tokens/$tokenId" params={{ tokenId }}>
              {tokenId}
            </Link>
          )}
        </dd>
      </dl>
      {findings.length === 0 ? (
        <p className="hint">{t.noFindings}</p>
      ) : (
        <FindingList findings={findings} />
      )}
    </section>
  );
}

/** The id comes from the page: only that of one's own embed is a link. */
function DesignLink({ id, isOwn }: { id: string; isOwn: boolean }) {
  if (!isOwn) return <bdi>{id}</bdi>;
  return (
    <Link to="/designs/$designId" params={{ designId: id }}>
      {id}
    </Link>
  );
}

function EmbedBadge({ shows }: Pick<PageEmbed, 'shows'>) {
  const t = pageCheckTexts;
  if (shows === null) return <Badge>{t.embedUnknown}</Badge>;
  return <Badge tone={shows ? 'good' : 'bad'}>{shows ? t.embedShows : t.embedShowsNot}</Badge>;
}
