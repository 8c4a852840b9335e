import type { EmbedUsage } from '@cloche/contract/embed-usage';
import { DesignLink } from '../design-choice/design-link.tsx';
import { texts } from '../i18n/en.ts';
import { ErrorMessage } from '../ui/error-message.tsx';
import { FirstItems } from '../ui/first-items.tsx';
import { formatBytes, formatInteger } from '../ui/format.ts';
import { Loading } from '../ui/loading.tsx';
import { Age } from '../ui/time.tsx';
import type { useUsage } from './use-usage.ts';

type UsageTableProps = {
  title: string;
  query: ReturnType<typeof useUsage>;
  by: 'origin' | 'design';
};

/** The usage of each origin or design. The most views are first. */
export function UsageTable({ title, query, by }: UsageTableProps) {
  const { data, error, refetch } = query;
  const { usage: t } = texts.tokens;
  const sorted = data?.items.toSorted((a, b) => b.views - a.views) ?? [];
  const most = Math.max(sorted[0]?.views ?? 0, 1);
  return (
    <div className="usage-table">
      <h3>{title}</h3>
      {error && <ErrorMessage error={error} onRetry={refetch} />}
      {data === undefined && !error && <Loading />}
      {data?.isCut && <p className="hint">{t.cut(formatInteger(data.items.length))}</p>}
      {data && (
        <FirstItems items={sorted}>
          {(shown) => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls with the keyboard
            <section className="table-scroll" tabIndex={0} aria-label={title}>
              <table>
                <thead>
                  <tr>
                    <th scope="col">{t[by]}</th>
                    <NumberHead>{t.views}</NumberHead>
                    <NumberHead>{t.bytes}</NumberHead>
                    <th scope="col">{t.firstSeen}</th>
                    <th scope="col">{t.lastSeen}</th>
                  </tr>
                </thead>
                <tbody>
                  {shown.map((item) => (
                    <UsageRow key={item[by]} item={item} by={by} most={most} />
                  ))}
                </tbody>
              </table>
            </section>
          )}
        </FirstItems>
      )}
    </div>
  );
}

function NumberHead({ children }: { children: string }) {
  return (
    <th scope="col" className="number">
      {children}
    </th>
  );
}

type UsageRowProps = { item: EmbedUsage; by: 'origin' | 'design'; most: number };

function UsageRow({ item, by, most }: UsageRowProps) {
  return (
    <tr>
      <th scope="row">
        {by === 'design' ? <DesignLink id={item.design ?? ''} /> : nameOrigin(item.origin ?? '')}
        <span className="usage-bar" style={{ width: `${(100 * item.views) / most}%` }} />
      </th>
      <td className="number">{formatInteger(item.views)}</td>
      <td className="number">{formatBytes(item.bytes)}</td>
      <td>
        <Age time={item.firstSeenAt} />
      </td>
      <td>
        <Age time={item.lastSeenAt} />
      </td>
    </tr>
  );
}

/** Also names the groups of views that have no origin of their own. */
function nameOrigin(origin: string): string {
  const { originGroups } = texts.tokens.usage;
  return Object.hasOwn(originGroups, origin) ? (originGroups[origin] ?? origin) : origin;
}
