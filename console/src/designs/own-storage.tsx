import type { Usage } from '@cloche/contract/usage';
import { useQuery } from '@tanstack/react-query';
import { texts } from '../i18n/en.ts';
import { useApi } from '../session/session-provider.tsx';
import { formatBytes, formatInteger } from '../ui/format.ts';

export const OWN_STORAGE_KEY = ['designs', 'storage'] as const;

/** What the user stores, and may store. */
export function OwnStorage() {
  const api = useApi();
  const { data } = useQuery({
    queryKey: OWN_STORAGE_KEY,
    queryFn: () => api.getJson<Usage>('/v1/usage'),
  });
  if (data === undefined) return null;
  const { bytes, designs } = data;
  const { stored, storedOf, designsOf } = texts.designs;
  const size = formatBytes(bytes.stored);
  return (
    <>
      {bytes.limit === null ? stored(size) : storedOf(size, formatBytes(bytes.limit))}
      {designs.limit !== null &&
        `, ${designsOf(formatInteger(designs.stored), formatInteger(designs.limit))}`}
    </>
  );
}
