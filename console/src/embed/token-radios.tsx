import type { Token } from '@cloche/contract/token';
import { embedTexts } from '../i18n/en/embed.ts';
import { Field } from '../ui/field.tsx';
import { Age } from '../ui/time.tsx';
import { type ChosenToken, isPublicTokenText } from './chosen-token.ts';

type TokenRadiosProps = {
  tokens: readonly Token[];
  chosen: ChosenToken | undefined;
  onChoose: (chosen: ChosenToken) => void;
};

/** The tokens that fit, and a field for the text of the chosen one. */
export function TokenRadios({ tokens, chosen, onChoose }: TokenRadiosProps) {
  const isListed = chosen !== undefined && !chosen.isNew;
  const isMalformed = chosen?.text !== undefined && !isPublicTokenText(chosen.text);
  return (
    <fieldset className="embed-tokens">
      <legend>{embedTexts.token.fits}</legend>
      {tokens.map((token) => (
        <label key={token.id} className="check">
          <input
            type="radio"
            name="embed-token"
            checked={chosen?.id === token.id}
            onChange={() => onChoose({ ...token, text: undefined, isNew: false })}
          />
          <TokenSummary token={token} />
        </label>
      ))}
      {isListed && (
        <Field
          label={embedTexts.token.textLabel}
          hint={embedTexts.token.notStored}
          error={isMalformed && embedTexts.token.notPublic}
        >
          {(control) => (
            <input
              {...control}
              value={chosen.text ?? ''}
              placeholder="cloche_pk_…"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              onChange={({ target }) =>
                onChoose({ ...chosen, text: target.value.trim() || undefined })
              }
            />
          )}
        </Field>
      )}
    </fieldset>
  );
}

function TokenSummary({ token: { name, origins, designs, lastUsedAt } }: { token: Token }) {
  return (
    <span className="embed-token">
      <bdi>{name || embedTexts.token.unnamed}</bdi>
      <span className="hint">
        {origins.join(', ')} ·{' '}
        {designs === null ? embedTexts.token.everyDesign : embedTexts.token.designs(designs.length)}{' '}
        ·{' '}
        {lastUsedAt === null ? (
          embedTexts.token.neverUsed
        ) : (
          <>
            {embedTexts.token.lastUsed} <Age time={lastUsedAt} />
          </>
        )}
      </span>
    </span>
  );
}
