import type { EmbedUsage } from '@cloche/contract/embed-usage';
import { useState } from 'react';
import { texts } from '../i18n/en.ts';
import { useApi } from '../session/session-provider.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { formatBytes, formatInteger } from '../ui/format.ts';
import { Loading } from '../ui/loading.tsx';
import { saveFile } from '../ui/save-file.ts';
import { readUsage } from './read-usage.ts';
import { formatUsageCsv } from './usage-csv.ts';
import { UsagePlots } from './usage-plots.tsx';
import { resolveRange, type UsageRange } from './usage-range.ts';
import { UsageRangeFields } from './usage-range-fields.tsx';
import { UsageTable } from './usage-table.tsx';
import { useUsage } from './use-usage.ts';

const DEFAULT_DAYS = 30;

/** The views of the embeds of a token by day, origin and design. */
export function TokenUsage({ tokenId }: { tokenId: string }) {
  const [range, setRange] = useState<UsageRange>({ days: DEFAULT_DAYS });
  const { usage } = texts.tokens;
  const { data, error, refetch } = useUsage(tokenId, 'day', range);
  const byOrigin = useUsage(tokenId, 'origin', range);
  const byDesign = useUsage(tokenId, 'design', range);
  return (
    <section className="card token-usage" aria-labelledby="token-usage">
      <h2 id="token-usage">{usage.heading}</h2>
      <UsageRangeFields range={range} onChange={setRange} />
      {error && <ErrorMessage error={error} onRetry={refetch} />}
      {data === undefined && !error && <Loading />}
      {data && <UsageSummary usage={data.items} />}
      {data && data.items.length > 0 && (
        <>
          <UsagePlots usage={data.items} range={range} />
          <UsageTable title={usage.byOrigin} query={byOrigin} by="origin" />
          <UsageTable title={usage.byDesign} query={byDesign} by="design" />
          <DownloadButton tokenId={tokenId} range={range} />
        </>
      )}
    </section>
  );
}

function UsageSummary({ usage }: { usage: readonly EmbedUsage[] }) {
  const views = usage.reduce((sum, item) => sum + item.views, 0);
  const bytes = usage.reduce((sum, item) => sum + item.bytes, 0);
  return (
    <p role="status">
      {usage.length === 0
        ? texts.tokens.usage.none
        : texts.tokens.usage.summary(formatInteger(views), formatBytes(bytes))}{' '}
      <span className="hint">{texts.tokens.usage.utc}</span>
    </p>
  );
}

function DownloadButton({ tokenId, range }: { tokenId: string; range: UsageRange }) {
  const api = useApi();
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const download = async () => {
    setPending(true);
    setError(undefined);
    try {
      const { from, to } = resolveRange(range);
      const { items } = await readUsage(api, tokenId, { by: 'day,origin,design', from, to });
      const text = formatUsageCsv(items);
      saveFile(`${tokenId}.csv`, new Blob([text], { type: 'text/csv' }));
    } catch (reason) {
      setError(reason);
    } finally {
      setPending(false);
    }
  };
  return (
    <>
      <Button pending={isPending} onClick={() => void download()}>
        {texts.tokens.usage.csv}
      </Button>
      {error !== undefined && <ErrorMessage error={error} />}
    </>
  );
}
