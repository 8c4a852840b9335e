import { TEXTURE_SIZES } from '@cloche/contract/texture-sizes';
import { texts } from '../i18n/en.ts';
import { Field } from '../ui/field.tsx';

type TextureSizeFieldProps = {
  /** In pixels. Empty: the default of the service. */
  value: string;
  disabled: boolean;
  error: string | undefined;
  onChange: (value: string) => void;
};

/** The choice of the longest side of the textures of a design. */
export function TextureSizeField({ value, disabled, error, onChange }: TextureSizeFieldProps) {
  const { fields, fieldHints, defaultTextureSize, textureSize } = texts.design;
  return (
    <Field label={fields.maxTextureSize} hint={fieldHints.maxTextureSize} error={error}>
      {(control) => (
        <select
          {...control}
          value={value}
          disabled={disabled}
          onChange={({ target }) => onChange(target.value)}
        >
          <option value="">{defaultTextureSize}</option>
          {TEXTURE_SIZES.map((size) => (
            <option key={size} value={size}>
              {textureSize(size)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
