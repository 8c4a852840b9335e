import { texts } from '../i18n/en.ts';

const MAX_SHOWN = 3;

/** The first origins of a token, one a line, and how many more there are. */
export function OriginList({
  origins,
  max = MAX_SHOWN,
}: {
  origins: readonly string[];
  max?: number;
}) {
  if (origins.length === 0) return texts.tokens.noOrigins;
  return (
    <ul className="origins">
      {origins.slice(0, max).map((origin) => (
        <li key={origin}>{origin}</li>
      ))}
      {origins.length > max && <li>{texts.tokens.moreOrigins(origins.length - max)}</li>}
    </ul>
  );
}
