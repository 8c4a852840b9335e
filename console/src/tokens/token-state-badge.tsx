import type { Token } from '@cloche/contract/token';
import { Badge } from '../ui/badge.tsx';
import { useNow } from '../ui/use-now.ts';
import { describeTokenState } from './token-state.ts';

const TICK_MS = 1000;

/** The state of a token, with a countdown to its end. */
export function TokenStateBadge({ token }: { token: Pick<Token, 'expiresAt' | 'replacedBy'> }) {
  const now = useNow(token.expiresAt === null ? undefined : TICK_MS);
  const { text, tone } = describeTokenState(token, now);
  return <Badge tone={tone}>{text}</Badge>;
}
