import type { Token } from '@cloche/contract/token';
import { useDeferredValue, useState } from 'react';
import { texts } from '../i18n/en.ts';
import { Field } from '../ui/field.tsx';
import { FirstItems } from '../ui/first-items.tsx';
import { formatInteger } from '../ui/format.ts';
import { findTokens, type TokenSearch } from './find-tokens.ts';
import { orderTokens } from './order-tokens.ts';
import { TokenItem } from './token-item.tsx';

/** Tokens that can be searched, each below the one that created it. */
export function TokenTree({ tokens }: { tokens: readonly Token[] }) {
  const [search, setSearch] = useState<TokenSearch>({ text: '', kind: '' });
  const found = orderTokens(findTokens(tokens, useDeferredValue(search)));
  const byId = new Map(tokens.map((token) => [token.id, token]));
  return (
    <>
      <TokenFilters search={search} onChange={setSearch} />
      <p className="token-count" role="status">
        {texts.tokens.found(formatInteger(found.length))}
      </p>
      <FirstItems items={found}>
        {(shown) => (
          <ul className="tokens" aria-label={texts.tokens.list}>
            {shown.map(({ token, depth }) => (
              <TokenItem
                key={token.id}
                token={token}
                depth={depth}
                issuer={byId.get(token.issuedBy ?? '')}
              />
            ))}
          </ul>
        )}
      </FirstItems>
    </>
  );
}

type TokenFiltersProps = { search: TokenSearch; onChange: (search: TokenSearch) => void };

function TokenFilters({ search, onChange }: TokenFiltersProps) {
  return (
    <search className="token-filters">
      <Field label={texts.tokens.search}>
        {(control) => (
          <input
            {...control}
            type="search"
            autoComplete="off"
            placeholder={texts.tokens.searchHint}
            value={search.text}
            onChange={({ target }) => onChange({ ...search, text: target.value })}
          />
        )}
      </Field>
      <Field label={texts.tokens.kind}>
        {(control) => (
          <select
            {...control}
            value={search.kind}
            onChange={({ target }) =>
              onChange({ ...search, kind: target.value as TokenSearch['kind'] })
            }
          >
            <option value="">{texts.tokens.allKinds}</option>
            <option value="public">{texts.tokens.publicKind}</option>
            <option value="secret">{texts.tokens.secretKind}</option>
          </select>
        )}
      </Field>
    </search>
  );
}
