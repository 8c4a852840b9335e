import { useState } from 'react';
import { isPreconditionFailed } from '../api/api-error.ts';
import { texts } from '../i18n/en.ts';
import { useToast } from '../ui/toasts.tsx';
import {
  type DesignFormValues,
  findRepeatedKey,
  parseFormValues,
  pickChanges,
  toFormValues,
} from './form-values.ts';
import { useReloadDesign, useUpdateDesign, type VersionedDesign } from './use-design.ts';

/** What is typed, and the state of the design that it is based on. */
type Draft = { values: DesignFormValues; base: DesignFormValues; etag: string };

/** The fields of a design while they are edited. Changes made elsewhere do not replace what is typed. */
export function useDesignDraft({ design, etag }: VersionedDesign) {
  const [draft, setDraft] = useState<Draft>();
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const update = useUpdateDesign(design.id);
  const reload = useReloadDesign(design.id);
  const toast = useToast();
  const current = toFormValues(design);
  const changesElsewhere = draft && pickChanges(current, draft.base);
  const isOutdated =
    !isPending && changesElsewhere !== undefined && Object.keys(changesElsewhere).length > 0;

  const change = (changes: Partial<DesignFormValues>) =>
    setDraft((before) => {
      const { values, base } = before ?? { values: current, base: current };
      return { values: { ...values, ...changes }, base, etag: before?.etag ?? etag };
    });
  const discard = () => {
    setDraft(undefined);
    setError(undefined);
    void reload();
  };
  /** Applies what was typed to the current state of the design. */
  const rebase = () => {
    if (draft === undefined) return;
    const own = pickChanges(draft.values, draft.base);
    setDraft({ values: { ...current, ...own }, base: current, etag });
    setError(undefined);
  };
  const save = async () => {
    if (draft === undefined || isPending) return;
    setPending(true);
    setError(undefined);
    try {
      // A new state of its processing is no reason to refuse the changes.
      const saved = await update(toRequest(draft), isOutdated ? draft.etag : etag);
      setDraft((typed) => (typed === draft ? undefined : rebaseOnSaved(typed, draft, saved)));
      toast(texts.design.saved);
    } catch (reason) {
      setError(reason);
      if (isPreconditionFailed(reason)) await reload();
    } finally {
      setPending(false);
    }
  };
  const values = draft?.values ?? current;
  return { values, draft, error, isPending, isOutdated, change, discard, rebase, save };
}

/** Keeps what was typed while a draft was saved. */
function rebaseOnSaved(
  typed: Draft | undefined,
  sent: Draft,
  { design, etag }: VersionedDesign,
): Draft | undefined {
  if (typed === undefined) return undefined;
  const base = toFormValues(design);
  return { values: { ...base, ...pickChanges(typed.values, sent.values) }, base, etag };
}

/** Only what differs, so that a change of another field by someone else is kept. */
function toRequest({ values, base }: Draft) {
  const repeated = findRepeatedKey(values.metadata);
  if (repeated !== undefined) throw new RepeatedKeyError(repeated);
  const request = Object.entries(parseFormValues(values));
  const changed = pickChanges(values, base);
  const names = Object.keys(changed).map((name) => (name === 'newTag' ? 'tags' : name));
  return Object.fromEntries(request.filter(([name]) => names.includes(name)));
}

/** Two rows of the metadata have the same key. */
export class RepeatedKeyError extends Error {
  constructor(key: string) {
    super(texts.design.repeatedKey(key));
  }
}
