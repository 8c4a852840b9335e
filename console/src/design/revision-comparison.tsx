import type { Design } from '@cloche/contract/design';
import { useEffect, useState } from 'react';
import type { ViewerHandle } from '../../../sdk/src/viewer-handle.ts';
import { texts } from '../i18n/en.ts';
import { Field } from '../ui/field.tsx';
import { jumpToCamera } from './jump-to-camera.ts';
import { RevisionFrame } from './preview-frame.tsx';
import { listComparableRevisions, useRevisions } from './use-design.ts';

/** Two revisions side by side. The camera of one follows that of the other. */
export function RevisionComparison({ design }: { design: Design }) {
  const revisions = useRevisions(design);
  const [chosen, setChosen] = useState<number>();
  const [left, setLeft] = useState<ViewerHandle>();
  const [right, setRight] = useState<ViewerHandle>();
  useEffect(() => {
    if (left === undefined || right === undefined) return;
    const ends = [follow(left, right), follow(right, left)];
    return () => {
      for (const end of ends) end();
    };
  }, [left, right]);
  const others = listComparableRevisions(revisions.data);
  if (others.length === 0) return null;
  return (
    <section className="card design-part" id="comparison" aria-labelledby="comparison-heading">
      <h2 id="comparison-heading">{texts.design.comparison}</h2>
      <div className="design-comparison">
        <Field label={texts.design.compareWith}>
          {(control) => (
            <select
              {...control}
              value={chosen ?? ''}
              onChange={({ target }) => setChosen(Number(target.value) || undefined)}
            >
              <option value="">{texts.design.nothing}</option>
              {others.map(({ number }) => (
                <option key={number} value={number}>
                  {texts.design.revision(number)}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      {chosen !== undefined && design.revision !== null && (
        <div className="design-charts">
          <RevisionFrame designId={design.id} number={design.revision} onViewer={setLeft} />
          <RevisionFrame key={chosen} designId={design.id} number={chosen} onViewer={setRight} />
        </div>
      )}
    </section>
  );
}

/** Movements by a method are not passed on, so the two do not move each other forever. */
function follow(source: ViewerHandle, target: ViewerHandle): () => void {
  return source.on('camera-change', (change) => {
    if (change.source === 'user') jumpToCamera(target, change);
  });
}
