import { useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session-provider.tsx';
import { readUsage } from './read-usage.ts';
import { resolveRange, type UsageRange } from './usage-range.ts';

/** Groups are listed up to 2,000: all origins, which are 1,000 and two more, but maybe not all designs. The CSV file has all. */
const MAX_PAGES = 10;
const IMPACT_DAYS = 30;

/** The usage of a token in some days. */
export function useUsage(tokenId: string, by: string, range: UsageRange) {
  const api = useApi();
  return useQuery({
    queryKey: ['tokens', 'usage', tokenId, by, range],
    queryFn: () => {
      const { from, to } = resolveRange(range);
      return readUsage(api, tokenId, { by, from, to, maxPages: MAX_PAGES });
    },
    refetchInterval: 15_000,
  });
}

/** The origins whose pages showed embeds in the last 30 days: those of the token, and of its descendants if they are revoked too. */
export function useRevocationImpact(tokenId: string, withDescendants: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: ['tokens', 'revocation-impact', tokenId, withDescendants],
    queryFn: async () => {
      const { from, to } = resolveRange({ days: IMPACT_DAYS });
      const options = { by: 'origin', from, to, descendants: withDescendants };
      return (await readUsage(api, tokenId, options)).items;
    },
  });
}
