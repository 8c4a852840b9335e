import { ApiError } from '../api/api-error.ts';
import { texts } from '../i18n/en.ts';
import { Button } from './button.tsx';
import { listErrorTexts } from './list-error-texts.ts';

type ErrorMessageProps = { error: unknown; onRetry?: (() => unknown) | undefined };

/** An error in words, with a link to the page that explains the problem. Screen readers announce it. */
export function ErrorMessage({ error, onRetry }: ErrorMessageProps) {
  const [first, ...others] = listErrorTexts(error);
  const problem = error instanceof ApiError ? error.problem : undefined;
  return (
    <div className="error" role="alert">
      {others.map((text) => (
        <p key={text}>
          <bdi>{text}</bdi>
        </p>
      ))}
      <p>
        <bdi>{first}</bdi>{' '}
        {problem && (
          <a href={problem.type} target="_blank" rel="noopener">
            {texts.common.whatThisMeans}
          </a>
        )}
      </p>
      {onRetry && <Button onClick={() => void onRetry()}>{texts.common.retry}</Button>}
    </div>
  );
}
