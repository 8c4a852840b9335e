import type { Token } from '@cloche/contract/token';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { texts } from '../i18n/en.ts';
import { useApi } from '../session/session-provider.tsx';
import { NamedId } from '../ui/named-id.tsx';

/** The name of a token, with a link to its page, and its id. A token that is gone has only the id. */
export function TokenLink({ id }: { id: string }) {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['tokens', 'named', id],
    queryFn: () => api.getJson<Token>(`/v1/tokens/${encodeURIComponent(id)}`),
  });
  return <NamedId id={id}>{data && <NamedTokenLink token={data} />}</NamedId>;
}

/** The name of a token, with a link to its page. */
export function NamedTokenLink({ token: { id, name } }: { token: Pick<Token, 'id' | 'name'> }) {
  return (
    <Link to="/tokens/$tokenId" params={{ tokenId: id }}>
      <bdi>{name || texts.tokens.unnamed}</bdi>
    </Link>
  );
}
