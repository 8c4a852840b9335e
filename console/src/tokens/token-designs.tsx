import { useId } from 'react';
import { DesignCombobox } from '../design-choice/design-combobox.tsx';
import { texts } from '../i18n/en.ts';
import { usePermissions } from '../session/session-provider.tsx';

/** Maximum number of designs of a token. */
const MAX_DESIGNS = 100;

type TokenDesignsProps = {
  /** Null: all designs. */
  ids: string[] | null;
  /** Whether none is chosen, although the form was sent. */
  isMissing: boolean;
  onChange: (ids: string[] | null) => void;
};

/** The designs that a token is limited to. An empty choice is an error, so that nobody gives access to all by removing the last one. */
export function TokenDesigns({ ids, isMissing, onChange }: TokenDesignsProps) {
  const name = useId();
  const { mayIssueForAll } = usePermissions();
  const { form } = texts.tokens;
  return (
    <fieldset className="token-fieldset">
      <legend>{form.designs}</legend>
      {mayIssueForAll && (
        <label className="check">
          <input type="radio" name={name} checked={ids === null} onChange={() => onChange(null)} />
          {form.allDesigns}
        </label>
      )}
      <label className="check">
        <input
          type="radio"
          name={name}
          checked={ids !== null}
          onChange={() => onChange(ids ?? [])}
        />
        {form.someDesigns}
      </label>
      {ids !== null && (
        <DesignCombobox
          label={form.chosenDesigns}
          hint={form.chosenDesignsHint}
          error={isMissing ? form.noDesign : undefined}
          ids={ids}
          onChange={(chosen) => onChange(chosen.slice(0, MAX_DESIGNS))}
        />
      )}
    </fieldset>
  );
}
