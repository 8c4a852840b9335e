import type { Token } from '@cloche/contract/token';
import { DesignLink } from '../design-choice/design-link.tsx';
import { texts } from '../i18n/en.ts';
import { FirstItems } from '../ui/first-items.tsx';
import { formatTime } from '../ui/format.ts';
import { Age } from '../ui/time.tsx';
import { OriginList } from './origin-list.tsx';
import { TokenLink } from './token-link.tsx';

/** What a token may do, its limits and its lineage. */
export function TokenFacts({ token }: { token: Token }) {
  const { columns } = texts.tokens;
  const { id, capabilities, origins, designs, createdAt, expiresAt, lastUsedAt } = token;
  return (
    <dl className="facts">
      <dt>{columns.id}</dt>
      <dd>
        <code>{id}</code>
      </dd>
      <dt>{columns.capabilities}</dt>
      <dd>{capabilities.join(', ')}</dd>
      <dt>{columns.origins}</dt>
      <dd>
        <OriginList origins={origins} max={origins.length} />
      </dd>
      <dt>{columns.designs}</dt>
      <dd>{designs === null ? texts.tokens.allDesigns : <DesignLinks ids={designs} />}</dd>
      <dt>{columns.created}</dt>
      <dd>
        <Age time={createdAt} />
      </dd>
      <dt>{columns.expires}</dt>
      <dd>{expiresAt === null ? texts.common.never : formatTime(new Date(expiresAt))}</dd>
      <dt>{columns.lastUsed}</dt>
      <dd>{lastUsedAt === null ? texts.common.never : <Age time={lastUsedAt} />}</dd>
      <UsedFrom token={token} />
      <dt>{columns.issuedBy}</dt>
      <dd>
        {token.issuedBy === null ? texts.tokens.issuedByMachine : <TokenLink id={token.issuedBy} />}
      </dd>
      {token.replaces !== null && (
        <>
          <dt>{columns.replaces}</dt>
          <dd>
            <TokenLink id={token.replaces} />
          </dd>
        </>
      )}
      {token.replacedBy !== null && (
        <>
          <dt>{columns.replacedBy}</dt>
          <dd>
            <TokenLink id={token.replacedBy} />
          </dd>
        </>
      )}
    </dl>
  );
}

/** The origins whose pages used a token: of one that was replaced, those that still use it. */
function UsedFrom({ token: { usedFrom, replacedBy } }: { token: Token }) {
  const { columns, notUsedSince } = texts.tokens;
  if (usedFrom.length === 0 && replacedBy === null) return null;
  return (
    <>
      <dt>{replacedBy === null ? columns.usedFrom : columns.stillUsedFrom}</dt>
      <dd>
        {usedFrom.length === 0 ? (
          notUsedSince
        ) : (
          <FirstItems items={usedFrom}>
            {(shown) => (
              <ul className="origins">
                {shown.map(({ origin, lastUsedAt }) => (
                  <li key={origin}>
                    {origin} · <Age time={lastUsedAt} />
                  </li>
                ))}
              </ul>
            )}
          </FirstItems>
        )}
      </dd>
    </>
  );
}

function DesignLinks({ ids }: { ids: readonly string[] }) {
  return (
    <FirstItems items={ids}>
      {(shown) => (
        <ul className="token-designs">
          {shown.map((id) => (
            <li key={id}>
              <DesignLink id={id} />
            </li>
          ))}
        </ul>
      )}
    </FirstItems>
  );
}
