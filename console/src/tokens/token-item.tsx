import type { Token } from '@cloche/contract/token';
import type { ReactNode } from 'react';
import { texts } from '../i18n/en.ts';
import { useApi } from '../session/session-provider.tsx';
import { Badge } from '../ui/badge.tsx';
import { Age } from '../ui/time.tsx';
import { OriginList } from './origin-list.tsx';
import { NamedTokenLink } from './token-link.tsx';
import { isPublicToken } from './token-state.ts';
import { TokenStateBadge } from './token-state-badge.tsx';

const MAX_INDENT = 4;
const INDENT_REM = 1.25;

type TokenItemProps = {
  token: Token;
  /** The number of its ancestors in the list. */
  depth: number;
  /** The token that created it, if that is in the list. */
  issuer: Token | undefined;
};

/** One token in the list, indented below the one that created it. */
export function TokenItem({ token, depth, issuer }: TokenItemProps) {
  const { columns } = texts.tokens;
  const indent = `${Math.min(depth, MAX_INDENT) * INDENT_REM}rem`;
  return (
    <li className="card token" style={{ marginInlineStart: indent }}>
      <div className="token-heading">
        <h2>
          <NamedTokenLink token={token} />
        </h2>
        <TokenBadges token={token} />
      </div>
      <dl className="token-facts">
        <Fact name={columns.capabilities}>{token.capabilities.join(', ')}</Fact>
        <Fact name={columns.origins} className="token-origins">
          <OriginList origins={token.origins} />
        </Fact>
        <Fact name={columns.designs}>
          {token.designs === null ? texts.tokens.allDesigns : token.designs.length}
        </Fact>
        <Fact name={columns.lastUsed}>
          {token.lastUsedAt === null ? texts.common.never : <Age time={token.lastUsedAt} />}
        </Fact>
        {issuer && (
          <Fact name={columns.issuedBy}>
            <NamedTokenLink token={issuer} />
          </Fact>
        )}
      </dl>
    </li>
  );
}

type FactProps = { name: string; className?: string; children: ReactNode };

function Fact({ name, className, children }: FactProps) {
  return (
    <div className={className}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The kind and the state of a token. */
export function TokenBadges({ token }: { token: Token }) {
  const { tokenId } = useApi().session;
  return (
    <p className="token-badges">
      <Badge>{isPublicToken(token) ? texts.tokens.publicKind : texts.tokens.secretKind}</Badge>
      <TokenStateBadge token={token} />
      {token.id === tokenId && <Badge tone="busy">{texts.tokens.own}</Badge>}
    </p>
  );
}
