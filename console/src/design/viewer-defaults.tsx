import { useEffect, useRef, useState } from 'react';
import type { ViewerHandle } from '../../../sdk/src/viewer-handle.ts';
import { texts } from '../i18n/en.ts';
import { usePermissions } from '../session/session-provider.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { OptionControls } from '../viewer-options/option-controls.tsx';
import { toCameraOptions } from './to-camera-options.ts';
import type { VersionedDesign } from './use-design.ts';
import { useSuggestions } from './use-suggestions.ts';
import { useViewerDraft } from './use-viewer-draft.ts';

type ViewerDefaultsProps = VersionedDesign & {
  viewer: ViewerHandle | undefined;
  /** Gets whether there are changes that are not saved. */
  onUnsaved: (isUnsaved: boolean) => void;
};

/** The options of all embeds of a design. Each change is shown in the view; visitors see it when it is saved. */
export function ViewerDefaults({ design, etag, viewer, onUnsaved }: ViewerDefaultsProps) {
  const { mayWrite } = usePermissions();
  const controls = useRef<HTMLDivElement>(null);
  const suggestions = useSuggestions(viewer);
  const draft = useViewerDraft({ design, etag, viewer, controls });
  const { hasChanges } = draft;
  useEffect(() => onUnsaved(hasChanges), [onUnsaved, hasChanges]);
  // Removes what was typed and is not valid.
  const [discardCount, setDiscardCount] = useState(0);
  const takeCamera = async () => {
    if (viewer === undefined) return;
    draft.merge(toCameraOptions(await viewer.getCamera()));
  };
  const discard = () => {
    draft.discard();
    setDiscardCount(discardCount + 1);
  };
  return (
    <section className="card" aria-labelledby="defaults-heading">
      <h2 id="defaults-heading">{texts.design.defaults}</h2>
      <p className="hint">{texts.design.defaultsHint}</p>
      {mayWrite && (
        <div className="actions design-toolbar">
          <Button
            disabled={viewer === undefined}
            onClick={() => void takeCamera().catch(draft.setError)}
          >
            {texts.design.takeCamera}
          </Button>
          <Button onClick={() => draft.change({})}>{texts.design.resetAll}</Button>
        </div>
      )}
      <div ref={controls} onInput={draft.onType}>
        <OptionControls
          key={discardCount}
          values={draft.values}
          onChange={draft.change}
          disabled={!mayWrite}
          suggestions={suggestions}
        />
      </div>
      {draft.error !== undefined && <ErrorMessage error={draft.error} />}
      {draft.isOutdated && draft.error === undefined && (
        <ErrorMessage error={new Error(texts.design.outdatedDefaults)} />
      )}
      {mayWrite && hasChanges && (
        <div className="actions end">
          <span role="status">{texts.design.unsaved}</span>
          <Button onClick={discard}>{texts.design.discard}</Button>
          <Button variant="primary" pending={draft.isPending} onClick={() => void draft.save()}>
            {texts.design.saveDefaults}
          </Button>
        </div>
      )}
    </section>
  );
}
