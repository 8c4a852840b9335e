import {
  VIEWER_OPTION_NAMES,
  type ViewerOptionName,
  type ViewerOptions,
} from '@cloche/contract/viewer-options';
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { ViewerHandle } from '../../../sdk/src/viewer-handle.ts';
import { isPreconditionFailed } from '../api/api-error.ts';
import { texts } from '../i18n/en.ts';
import { useToast } from '../ui/toasts.tsx';
import { findInvalidOption } from './find-invalid-option.ts';
import { useReloadDesign, useUpdateDesign, type VersionedDesign } from './use-design.ts';

/** The options that are not saved, and those that they are based on. */
type Draft = { values: ViewerOptions; base: ViewerOptions; etag: string };

type ViewerDraftOptions = VersionedDesign & {
  viewer: ViewerHandle | undefined;
  /** The element with the controls. */
  controls: RefObject<HTMLElement | null>;
};

/** The options of the embeds of a design while they are edited. The view shows them. */
export function useViewerDraft({ design, etag, viewer, controls }: ViewerDraftOptions) {
  const update = useUpdateDesign(design.id);
  const reload = useReloadDesign(design.id);
  const toast = useToast();
  const [draft, setDraft] = useState<Draft>();
  const [wasTyped, setTyped] = useState(false);
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const hasChanges = draft !== undefined || wasTyped || isPending;
  const values = draft?.values ?? design.viewer;
  useDraftInView(viewer, draft);
  const isOutdated =
    draft !== undefined && !isPending && hasChanged(listChanges(draft.base, design.viewer));

  const stage = (next: ViewerOptions) =>
    setDraft({ values: next, base: draft?.base ?? design.viewer, etag: draft?.etag ?? etag });
  /** Sets some options. Those that were changed while the new values were read stay. */
  const merge = (changes: ViewerOptions) =>
    setDraft((before) => {
      const { values: own, ...rest } = before ?? toDraft({ design, etag }, design.viewer);
      return { values: { ...own, ...changes }, ...rest };
    });
  const change = (next: ViewerOptions) => {
    stage(next);
    void viewer?.setOptions(listChanges(values, next)).catch(setError);
  };
  const clear = () => {
    setDraft(undefined);
    setTyped(false);
    setError(undefined);
  };
  const discard = () => {
    void viewer?.setOptions(listChanges(values, design.viewer)).catch(setError);
    clear();
    void reload();
  };
  const save = async () => {
    const invalid = findInvalidOption(controls.current);
    if (invalid !== undefined) return setError(new Error(texts.design.invalidOption(invalid)));
    setPending(true);
    setError(undefined);
    // What is typed from here on is not saved.
    setTyped(false);
    try {
      const saved = await update({ viewer: values }, isOutdated ? draft.etag : etag);
      setDraft((typed) => (typed === draft ? undefined : typed && toDraft(saved, typed.values)));
      toast(texts.design.saved);
    } catch (reason) {
      setTyped((typed) => typed || wasTyped);
      setError(isPreconditionFailed(reason) ? new Error(texts.design.outdatedDefaults) : reason);
      if (isPreconditionFailed(reason)) await reload();
    } finally {
      setPending(false);
    }
  };
  const onType = () => setTyped(true);
  return {
    values,
    hasChanges,
    isOutdated,
    isPending,
    error,
    setError,
    onType,
    merge,
    change,
    discard,
    save,
  };
}

function toDraft({ design, etag }: VersionedDesign, values: ViewerOptions): Draft {
  return { values, base: design.viewer, etag };
}

/** A view that was loaded again shows the options that are not saved. */
function useDraftInView(viewer: ViewerHandle | undefined, draft: Draft | undefined): void {
  const current = useRef(draft);
  current.current = draft;
  useEffect(() => {
    const { values, base } = current.current ?? {};
    if (viewer === undefined || values === undefined || base === undefined) return;
    void viewer.setOptions(listChanges(base, values)).catch(() => undefined);
  }, [viewer]);
}

const hasChanged = (changes: object) => Object.keys(changes).length > 0;

/** The options that differ; null restores the default. */
function listChanges(before: ViewerOptions, after: ViewerOptions) {
  const names: ViewerOptionName[] = VIEWER_OPTION_NAMES.filter(
    (name) => before[name] !== after[name],
  );
  return Object.fromEntries(names.map((name) => [name, after[name] ?? null]));
}
