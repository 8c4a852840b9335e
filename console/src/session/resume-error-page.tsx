import { texts } from '../i18n/en.ts';
import { BrandName } from '../ui/brand-name.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import './sign-in.css';

/** Instead of the form to sign in, while it is not known whether the browser is signed in. */
export function ResumeErrorPage({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <main className="sign-in" id="main">
      <BrandName />
      <h1>{texts.sessions.unknown}</h1>
      <ErrorMessage error={error} onRetry={onRetry} />
    </main>
  );
}
