import { type ViewerOptionDefinition, viewerOptions } from '@cloche/contract/viewer-options';
import type { OptionFieldControlProps } from './option-control-props.ts';

/** Some of several words, each with a box. */
export function WordsControl({ name, value, onChange, defaultText }: OptionFieldControlProps) {
  const definition: ViewerOptionDefinition = viewerOptions[name];
  if (definition.kind !== 'words') return null;
  const { values } = definition;
  const text = String(value ?? defaultText);
  const selected =
    text === 'all' ? values : values.filter((word) => text.split(' ').includes(word));
  const toggle = (word: string) => {
    const words = values.filter((item) => selected.includes(item) !== (item === word));
    if (words.length === values.length) onChange('all');
    else onChange(words.length === 0 ? 'none' : words.join(' '));
  };
  return (
    <div className="option-words">
      {values.map((word) => (
        <label key={word} className="check">
          <input type="checkbox" checked={selected.includes(word)} onChange={() => toggle(word)} />
          {word}
        </label>
      ))}
    </div>
  );
}
