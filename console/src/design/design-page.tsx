import type { Design } from '@cloche/contract/design';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { ViewerHandle } from '../../../sdk/src/viewer-handle.ts';
import { ApiError } from '../api/api-error.ts';
import { texts } from '../i18n/en.ts';
import { usePermissions } from '../session/session-provider.tsx';
import { CopyableCode } from '../ui/copyable-code.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Loading } from '../ui/loading.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { DeleteDamagedDesign, DesignActions } from './design-actions.tsx';
import { DesignForm } from './design-form.tsx';
import { DesignReport } from './design-report.tsx';
import { ModelUpload } from './model-upload.tsx';
import { PartLinks } from './part-links.tsx';
import { PosterSection } from './poster-section.tsx';
import { PreviewFrame } from './preview-frame.tsx';
import { RevisionComparison } from './revision-comparison.tsx';
import { DesignRevisions } from './revision-list.tsx';
import { StateCard } from './state-card.tsx';
import { needsNewFile, useDesign, type VersionedDesign } from './use-design.ts';
import { useLeaveWarning } from './use-leave-warning.ts';
import { ViewerDefaults } from './viewer-defaults.tsx';
import './design.css';

/** One design: how it looks, its files, its fields, and the options of its embeds. */
export function DesignPage() {
  const { designId } = useParams({ from: '/designs/$designId' });
  const { data, error, refetch } = useDesign(designId);
  const code = error instanceof ApiError ? error.problem?.code : undefined;
  const wasDeleted = code === 'design.unknown';
  if (data !== undefined && !wasDeleted) return <LoadedDesign key={designId} {...data} />;
  return (
    <div className="stack">
      <PageHeader title={texts.design.title} />
      {error ? <ErrorMessage error={error} onRetry={refetch} /> : <Loading />}
      {code === 'server.damaged' && <DeleteDamagedDesign id={designId} />}
    </div>
  );
}

function LoadedDesign({ design, etag }: VersionedDesign) {
  const [viewer, setViewer] = useState<ViewerHandle>();
  const [hasUnsavedFields, setUnsavedFields] = useState(false);
  const [hasUnsavedDefaults, setUnsavedDefaults] = useState(false);
  // One blocker for both, which asks once.
  useLeaveWarning(hasUnsavedFields || hasUnsavedDefaults);
  return (
    <>
      <PageHeader title={design.name}>
        <DesignActions design={design} />
      </PageHeader>
      <StateCard design={design} />
      <div className="design-columns">
        <div className="design-view">
          <PreviewFrame design={design} onViewer={setViewer} />
          <PartLinks design={design} />
        </div>
        <div className="stack">
          <div id="details" className="design-part" tabIndex={-1}>
            <DesignForm design={design} etag={etag} onUnsaved={setUnsavedFields} />
          </div>
          <section className="card" aria-labelledby="identity-heading">
            <h2 id="identity-heading">{texts.design.identity}</h2>
            <CopyableCode text={design.uri} label={texts.design.uri} />
          </section>
          <div id="options" className="design-part" tabIndex={-1}>
            <ViewerDefaults
              design={design}
              etag={etag}
              viewer={viewer}
              onUnsaved={setUnsavedDefaults}
            />
          </div>
          <DesignFiles design={design} />
        </div>
      </div>
      <RevisionComparison design={design} />
    </>
  );
}

/** The files of a design, and what was made of them. */
function DesignFiles({ design }: { design: Design }) {
  const { mayWrite } = usePermissions();
  return (
    <>
      <div id="files" className="design-part stack" tabIndex={-1}>
        <DesignRevisions design={design} />
        {mayWrite && !needsNewFile(design) && (
          <section className="card" aria-label={texts.design.newFile}>
            <ModelUpload designId={design.id} />
          </section>
        )}
      </div>
      {design.report && (
        <div id="report" className="design-part" tabIndex={-1}>
          <DesignReport report={design.report} />
        </div>
      )}
      <div id="poster" className="design-part" tabIndex={-1}>
        <PosterSection design={design} />
      </div>
    </>
  );
}
