/** `MAX_USER_QUOTA` of the contract. */
const MAX_QUOTA = 999_999_999;

/** A quota as it is entered: that of the service, no limit, or an amount. */
export type QuotaInput = { kind: 'service' | 'none' | 'own'; amount: string };

/** Converts a quota of the API: null is that of the service, 0 is no limit. */
export function toQuotaInput(quota: number | null): QuotaInput {
  if (quota === null) return { kind: 'service', amount: '' };
  return quota === 0 ? { kind: 'none', amount: '' } : { kind: 'own', amount: String(quota) };
}

/** Returns the quota for the API. Undefined: the amount is not valid. */
export function parseQuota({ kind, amount }: QuotaInput): number | null | undefined {
  if (kind === 'service') return null;
  if (kind === 'none') return 0;
  const value = /^\d{1,9}$/.test(amount.trim()) ? Number(amount) : 0;
  return value >= 1 && value <= MAX_QUOTA ? value : undefined;
}
