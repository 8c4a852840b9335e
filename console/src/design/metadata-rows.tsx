import { useEffect, useId, useRef } from 'react';
import { texts } from '../i18n/en.ts';
import { Button } from '../ui/button.tsx';
import type { MetadataRow } from './form-values.ts';

type MetadataRowsProps = {
  rows: readonly MetadataRow[];
  onChange: (rows: readonly MetadataRow[]) => void;
  disabled: boolean;
  error: string | undefined;
};

/** A key and a value in each row. Values can have several lines. */
export function MetadataRows({ rows, onChange, disabled, error }: MetadataRowsProps) {
  const id = useId();
  const list = useRef<HTMLFieldSetElement>(null);
  const wasAdded = useRef(false);
  useEffect(() => {
    if (!wasAdded.current || rows.length === 0) return;
    wasAdded.current = false;
    list.current?.querySelector<HTMLInputElement>('li:last-child input')?.focus();
  }, [rows]);
  const add = () => {
    wasAdded.current = true;
    const nextId = Math.max(-1, ...rows.map((row) => row.id)) + 1;
    onChange([...rows, { id: nextId, key: '', value: '' }]);
  };
  const change = (changed: MetadataRow) =>
    onChange(rows.map((row) => (row.id === changed.id ? changed : row)));
  const remove = (removedId: number) => {
    onChange(rows.filter((row) => row.id !== removedId));
    list.current?.querySelector<HTMLElement>('.design-add-row')?.focus();
  };
  return (
    <fieldset className="field design-metadata" ref={list} aria-describedby={`${id}-hint`}>
      <legend>{texts.design.fields.metadata}</legend>
      {rows.length > 0 && (
        <p className="design-metadata-names" aria-hidden="true">
          <span>{texts.design.key}</span>
          <span>{texts.design.value}</span>
        </p>
      )}
      <ul>
        {rows.map((row, index) => (
          <Row
            key={row.id}
            row={row}
            number={index + 1}
            disabled={disabled}
            onChange={change}
            onRemove={remove}
          />
        ))}
      </ul>
      {!disabled && (
        <Button className="design-add-row" onClick={add}>
          {texts.design.addPair}
        </Button>
      )}
      <p className="hint" id={`${id}-hint`}>
        {texts.design.fieldHints.metadata}
      </p>
      {error !== undefined && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}

type RowProps = {
  row: MetadataRow;
  number: number;
  disabled: boolean;
  onChange: (row: MetadataRow) => void;
  onRemove: (id: number) => void;
};

function Row({ row, number, disabled, onChange, onRemove }: RowProps) {
  return (
    <li>
      <input
        aria-label={texts.design.metadataKey(number)}
        placeholder={texts.design.key}
        value={row.key}
        disabled={disabled}
        dir="auto"
        onChange={({ target }) => onChange({ ...row, key: target.value })}
      />
      <textarea
        aria-label={texts.design.metadataValue(number)}
        placeholder={texts.design.value}
        rows={Math.min(4, row.value.split('\n').length)}
        value={row.value}
        disabled={disabled}
        dir="auto"
        onChange={({ target }) => onChange({ ...row, value: target.value })}
      />
      {!disabled && (
        <Button aria-label={texts.design.removePair(number)} onClick={() => onRemove(row.id)}>
          <span aria-hidden="true">×</span>
        </Button>
      )}
    </li>
  );
}
