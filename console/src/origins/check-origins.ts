import type { DomainRules } from '@cloche/contract/origin-host';
import { parseOrigin } from '@cloche/contract/origin-parser';
import { collectOriginWarnings } from '@cloche/contract/origin-warnings';

/** Origins that a token can list, what is wrong with the others, and likely mistakes, in the words of the API. */
export type CheckedOrigins = {
  origins: string[];
  mistakes: string[];
  warnings: string[];
};

/** Checks origins as the service does. */
export function checkOrigins(list: readonly string[], rules: DomainRules): CheckedOrigins {
  const unique = new Set<string>();
  const mistakes: string[] = [];
  for (const text of list) {
    try {
      unique.add(parseOrigin(text, rules));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      mistakes.push(error.message);
    }
  }
  const origins = [...unique];
  const warnings = collectOriginWarnings(origins, rules).map(({ detail }) => detail);
  return { origins, mistakes, warnings };
}
