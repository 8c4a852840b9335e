import { useEffect } from 'react';
import { ApiError, isPreconditionFailed } from '../api/api-error.ts';
import { texts } from '../i18n/en.ts';
import { usePermissions } from '../session/session-provider.tsx';
import { Button } from '../ui/button.tsx';
import { CopyableCode } from '../ui/copyable-code.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Field } from '../ui/field.tsx';
import type { DesignFieldName, DesignFormValues } from './form-values.ts';
import { MetadataRows } from './metadata-rows.tsx';
import { TagInput } from './tag-input.tsx';
import { TextureSizeField } from './texture-size-field.tsx';
import type { VersionedDesign } from './use-design.ts';
import { RepeatedKeyError, useDesignDraft } from './use-design-draft.ts';

const TEXT_FIELDS = ['name', 'description', 'externalId', 'maxTriangles'] as const;
const FIELDS: readonly DesignFieldName[] = [...TEXT_FIELDS, 'maxTextureSize', 'tags', 'metadata'];

type DesignFormProps = VersionedDesign & {
  /** Gets whether there are changes that are not saved. */
  onUnsaved: (isUnsaved: boolean) => void;
};

/** The fields of a design that its owner chooses. */
export function DesignForm({ design, etag, onUnsaved }: DesignFormProps) {
  const { mayWrite, mayShare } = usePermissions();
  const form = useDesignDraft({ design, etag });
  const { draft, error, isOutdated } = form;
  const isUnsaved = draft !== undefined;
  useEffect(() => onUnsaved(isUnsaved), [onUnsaved, isUnsaved]);
  const wrongField = findField(error);
  const isOther = error !== undefined && wrongField === undefined && !isPreconditionFailed(error);
  return (
    <form
      className="card"
      aria-labelledby="details-heading"
      onSubmit={(event) => {
        event.preventDefault();
        void form.save();
      }}
    >
      <h2 id="details-heading">{texts.design.details}</h2>
      <DesignFields
        values={form.values}
        disabled={!mayWrite}
        mayShare={mayShare}
        onChange={form.change}
        wrongField={wrongField}
        message={error instanceof Error ? error.message : ''}
      />
      {design.shared && (
        <CopyableCode
          text={`${location.origin}/share/${design.id}`}
          label={texts.design.shareLink}
        />
      )}
      {isOther && <ErrorMessage error={error} />}
      {(isOutdated || isPreconditionFailed(error)) && (
        <ErrorMessage error={new Error(texts.design.outdated)} />
      )}
      {isUnsaved && (
        <div className="actions end">
          <Button onClick={form.discard}>{texts.design.discard}</Button>
          {isOutdated && <Button onClick={form.rebase}>{texts.design.rebase}</Button>}
          <Button type="submit" variant="primary" pending={form.isPending}>
            {texts.design.save}
          </Button>
        </div>
      )}
    </form>
  );
}

type DesignFieldsProps = {
  values: DesignFormValues;
  disabled: boolean;
  mayShare: boolean;
  onChange: (changes: Partial<DesignFormValues>) => void;
  wrongField: DesignFieldName | undefined;
  message: string;
};

function DesignFields({
  values,
  disabled,
  mayShare,
  onChange,
  wrongField,
  message,
}: DesignFieldsProps) {
  const getError = (name: DesignFieldName) => (wrongField === name ? message : undefined);
  return (
    <>
      {TEXT_FIELDS.map((name) => {
        const Input = name === 'description' ? 'textarea' : 'input';
        return (
          <Field
            key={name}
            label={texts.design.fields[name]}
            hint={texts.design.fieldHints[name]}
            error={getError(name)}
          >
            {(control) => (
              <Input
                {...control}
                value={values[name]}
                disabled={disabled}
                dir="auto"
                onChange={({ target }) => onChange({ [name]: target.value })}
              />
            )}
          </Field>
        );
      })}
      <TextureSizeField
        value={values.maxTextureSize}
        disabled={disabled}
        error={getError('maxTextureSize')}
        onChange={(maxTextureSize) => onChange({ maxTextureSize })}
      />
      <TagInput values={values} disabled={disabled} error={getError('tags')} onChange={onChange} />
      <MetadataRows
        rows={values.metadata}
        disabled={disabled}
        error={getError('metadata')}
        onChange={(metadata) => onChange({ metadata })}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={values.shared}
          disabled={disabled || !(mayShare || values.shared)}
          onChange={({ target }) => onChange({ shared: target.checked })}
        />
        {texts.design.fields.shared}
      </label>
    </>
  );
}

/** The field that an error is about: `tags[2]` is about `tags`. */
function findField(error: unknown): DesignFieldName | undefined {
  if (error instanceof RepeatedKeyError) return 'metadata';
  const field = error instanceof ApiError ? error.problem?.field : undefined;
  return FIELDS.find((name) => field === name || field?.match(/^\w+/)?.[0] === name);
}
