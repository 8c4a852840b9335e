import { texts } from '../i18n/en.ts';
import { useApi, useSignOut } from '../session/session-provider.tsx';
import { Button } from '../ui/button.tsx';
import { PageHeader } from '../ui/page-header.tsx';

/** Instead of the pages, for a token without the capability `read`: what it may do, and what it lacks. */
export function LimitedAccess() {
  const { capabilities, designs } = useApi().session;
  const signOut = useSignOut();
  const { title, lead, list, limited, hint, signOutButton } = texts.layout.limitedAccess;
  return (
    <>
      <PageHeader title={title} lead={lead} />
      <section className="card" aria-labelledby="token-capabilities">
        <h2 id="token-capabilities">{list}</h2>
        <ul>
          {capabilities.map((capability) => (
            <li key={capability}>{texts.tokens.form.capability[capability]}</li>
          ))}
        </ul>
        {designs !== null && <p>{limited(designs.length)}</p>}
        <p>{hint}</p>
        <Button onClick={signOut}>{signOutButton}</Button>
      </section>
    </>
  );
}
