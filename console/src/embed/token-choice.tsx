import type { CreatedToken, Token } from '@cloche/contract/token';
import { useState } from 'react';
import { embedTexts } from '../i18n/en/embed.ts';
import { useApi, usePermissions } from '../session/session-provider.tsx';
import { useInvalidateTokens, useTokens } from '../tokens/use-tokens.ts';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Loading } from '../ui/loading.tsx';
import type { ChosenToken } from './chosen-token.ts';
import { CreateEmbedToken } from './create-embed-token.tsx';
import { findFittingTokens, findMissingOrigins } from './find-fitting-tokens.ts';
import { TokenRadios } from './token-radios.tsx';

type TokenChoiceProps = {
  designId: string;
  origins: readonly string[];
  /** Whether the pages have mistakes, so that no token can be created for them. */
  hasMistakes: boolean;
  chosen: ChosenToken | undefined;
  onChoose: (chosen: ChosenToken | undefined) => void;
};

/** Chooses a token that fits the pages, or creates one. */
export function TokenChoice({
  designId,
  origins,
  hasMistakes,
  chosen,
  onChoose,
}: TokenChoiceProps) {
  const { mayWrite, mayEmbed } = usePermissions();
  const { data, error, isPending, refetch } = useTokens();
  const invalidate = useInvalidateTokens();
  const [now] = useState(() => new Date());
  const create = useCreateEmbedToken();
  if (isPending) return <Loading />;
  if (error) return <ErrorMessage error={error} onRetry={refetch} />;
  const fitting = findFittingTokens(data.items, { origins, designId, now });
  const missing = chosen ? findMissingOrigins(chosen.origins, origins) : [];
  const mayCreate = mayWrite && mayEmbed;
  return (
    <>
      {fitting.length > 0 && <TokenRadios tokens={fitting} chosen={chosen} onChoose={onChoose} />}
      {missing.length > 0 && (
        <p className="error" role="status">
          {embedTexts.token.mismatch(missing.join(', '))}
        </p>
      )}
      {mayCreate ? (
        <CreateEmbedToken
          created={chosen?.isNew && missing.length === 0 ? chosen : undefined}
          canCreate={origins.length > 0 && !hasMistakes}
          onCreate={async (designs) => {
            const { id, token: text, ...created } = await create({ origins, designs });
            onChoose({
              id,
              origins: created.origins,
              expiresAt: created.expiresAt,
              text,
              isNew: true,
            });
            await invalidate();
          }}
          designId={designId}
        />
      ) : (
        <>
          {fitting.length === 0 && <p>{embedTexts.token.noneFits}</p>}
          <p className="hint">{embedTexts.token.mayNotCreate}</p>
        </>
      )}
    </>
  );
}

type NewEmbedToken = { origins: readonly string[]; designs: string[] | null };

/** Creates a public token. It cannot outlive the token of the session. */
function useCreateEmbedToken() {
  const api = useApi();
  return async ({ origins, designs }: NewEmbedToken): Promise<CreatedToken> => {
    const own = await api.getJson<Token>(`/v1/tokens/${api.session.tokenId}`);
    return api.getJson<CreatedToken>('/v1/tokens', {
      capabilities: ['embed'],
      name: origins
        .map((origin) => origin.replace(/^https?:\/\//, ''))
        .join(', ')
        .slice(0, 200),
      origins,
      designs,
      expiresAt: own.expiresAt,
    });
  };
}
