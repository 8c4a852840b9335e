import { texts } from '../i18n/en.ts';
import { ErrorMessage } from '../ui/error-message.tsx';
import { formatInteger } from '../ui/format.ts';
import { Loading } from '../ui/loading.tsx';
import type { useRevocationImpact } from './use-usage.ts';

const MAX_SHOWN = 20;

/** The pages whose embeds would stop, with their views. */
export function RevocationImpact({ impact }: { impact: ReturnType<typeof useRevocationImpact> }) {
  const { data, error, refetch } = impact;
  const { revoke } = texts.tokens;
  if (error)
    return (
      <>
        <p>{revoke.unknownImpact}</p>
        <ErrorMessage error={error} onRetry={refetch} />
      </>
    );
  if (data === undefined) return <Loading />;
  if (data.length === 0) return <p>{revoke.unused}</p>;
  const sorted = data.toSorted((a, b) => b.views - a.views);
  const views = sorted.reduce((sum, item) => sum + item.views, 0);
  const rest = sorted.length - MAX_SHOWN;
  return (
    <>
      <p>{revoke.wouldStop(formatInteger(views))}</p>
      <ul className="revocation-impact">
        {sorted.slice(0, MAX_SHOWN).map(({ origin, views }) => (
          <li key={origin}>
            {origin}: {formatInteger(views)}
          </li>
        ))}
        {rest > 0 && <li>{revoke.more(formatInteger(rest))}</li>}
      </ul>
    </>
  );
}
