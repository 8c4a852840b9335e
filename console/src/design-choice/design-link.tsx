import { Link } from '@tanstack/react-router';
import { texts } from '../i18n/en.ts';
import { NamedId } from '../ui/named-id.tsx';
import { useNamedDesign } from './use-design-search.ts';

/** The name of a design, with a link to its page, and its id. A design that is gone has only the id. */
export function DesignLink({ id }: { id: string }) {
  const { data } = useNamedDesign(id);
  return (
    <NamedId id={id}>
      {data && (
        <Link to="/designs/$designId" params={{ designId: id }}>
          <bdi>{data.name}</bdi>
        </Link>
      )}
      {data === null && <span>{texts.designChoice.gone}</span>}
    </NamedId>
  );
}
