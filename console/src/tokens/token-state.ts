import type { Token } from '@cloche/contract/token';
import { texts } from '../i18n/en.ts';

/** What a token can do at the moment, in words. */
type TokenState = { text: string; tone: 'good' | 'warning' | 'bad' | 'neutral' };

const DAY_S = 86_400;

/** Describes the state of a token. Expiry is part of it only if it is near. */
export function describeTokenState(
  { expiresAt, replacedBy }: Pick<Token, 'expiresAt' | 'replacedBy'>,
  now: Date,
): TokenState {
  const { states } = texts.tokens;
  const left = expiresAt === null ? undefined : new Date(expiresAt).getTime() - now.getTime();
  const hasEnded = left !== undefined && left <= 0;
  if (replacedBy !== null) {
    if (hasEnded || left === undefined) return { text: states.replacedEnded, tone: 'neutral' };
    return { text: states.replaced(formatTimeLeft(left)), tone: 'warning' };
  }
  if (hasEnded) return { text: states.expired, tone: 'bad' };
  if (left === undefined) return { text: states.active, tone: 'good' };
  return {
    text: states.expiresIn(formatTimeLeft(left)),
    tone: left < 7 * DAY_S * 1000 ? 'warning' : 'good',
  };
}

/** Formats a duration with two units: `1 d 3 h`, `59 min 12 s`. */
function formatTimeLeft(durationMs: number): string {
  const seconds = Math.max(0, Math.ceil(durationMs / 1000));
  const days = Math.floor(seconds / DAY_S);
  const hours = Math.floor((seconds % DAY_S) / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

/** Says whether a token can only show designs. */
export function isPublicToken({ capabilities }: Pick<Token, 'capabilities'>): boolean {
  return capabilities.length === 1 && capabilities[0] === 'embed';
}
