import type { Design } from '@cloche/contract/design';
import type { CameraState } from '@cloche/contract/message';
import { useCallback, useEffect, useRef } from 'react';
import { createViewer } from '../../../sdk/src/create-viewer.ts';
import type { ViewerHandle } from '../../../sdk/src/viewer-handle.ts';
import { texts } from '../i18n/en.ts';
import { ErrorMessage } from '../ui/error-message.tsx';
import { jumpToCamera } from './jump-to-camera.ts';
import { useDesignPreview, useRevisionPreview } from './use-design.ts';

/** Gets the viewer when its document is in the page, and undefined when it is removed. */
type OnViewer = (viewer: ViewerHandle | undefined) => void;
type PreviewFrameProps = { design: Design; onViewer: OnViewer };

/** The link, or what the document may load, has expired. */
const END_CODES = ['embed.preview-link', 'viewer.grant-expired'];
/** New links without a model. Then the frame says what is wrong. */
const MAX_RENEWALS = 2;

/** The design as visitors see it. */
export function PreviewFrame({ design, onViewer }: PreviewFrameProps) {
  const canShow = design.revision !== null || design.progress?.preview === true;
  const link = useDesignPreview(design.id, design.revision, canShow);
  if (!canShow) return <p className="design-frame empty">{texts.design.noView}</p>;
  return <LinkFrame link={link} title={design.name} onViewer={onViewer} />;
}

type RevisionFrameProps = { designId: string; number: number; onViewer: OnViewer };

/** A revision of a design, also if embeds show another one. */
export function RevisionFrame({ designId, number, onViewer }: RevisionFrameProps) {
  const link = useRevisionPreview(designId, number);
  return <LinkFrame link={link} title={texts.design.revision(number)} onViewer={onViewer} />;
}

type LinkFrameProps = {
  link: ReturnType<typeof useRevisionPreview>;
  title: string;
  onViewer: OnViewer;
};

/**
 * The document of a link. When the link or the grant in its document has ended, and a file is needed, a new link replaces it, with the camera where
 * the user has moved it.
 */
function LinkFrame({ link: { data, error, refetch }, title, onViewer }: LinkFrameProps) {
  const renewals = useRef(0);
  const camera = useRef<CameraState>(undefined);
  const cameraToRestore = useRef<CameraState>(undefined);
  const onError = useCallback(
    (code: string) => {
      if (!END_CODES.includes(code) || renewals.current >= MAX_RENEWALS) return;
      renewals.current += 1;
      cameraToRestore.current ??= camera.current;
      void refetch();
    },
    [refetch],
  );
  const onCamera = useCallback((state: CameraState | undefined) => {
    camera.current = state;
  }, []);
  const onLoad = useCallback((viewer: ViewerHandle) => {
    renewals.current = 0;
    if (cameraToRestore.current) jumpToCamera(viewer, cameraToRestore.current);
    cameraToRestore.current = undefined;
  }, []);
  if (error) return <ErrorMessage error={error} onRetry={refetch} />;
  if (data === undefined) return <div className="design-frame" />;
  const { src } = data;
  return <ViewerFrame key={src} {...{ src, title, onViewer, onError, onCamera, onLoad }} />;
}

type ViewerFrameProps = {
  src: string;
  title: string;
  onViewer: OnViewer;
  onError: (code: string) => void;
  /** Gets the camera when it has moved, and undefined before that. */
  onCamera: (state: CameraState | undefined) => void;
  /** The model is shown. */
  onLoad: (viewer: ViewerHandle) => void;
};

function ViewerFrame({ src, title, onViewer, onError, onCamera, onLoad }: ViewerFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const viewer = createViewer(frame.current);
    viewer.on('error', ({ code }) => onError(code));
    viewer.on('load', () => onLoad(viewer));
    onCamera(undefined);
    viewer.on('camera-change', onCamera);
    // A viewer that does not answer shows the reason in its own frame.
    viewer.ready.then(
      () => onViewer(viewer),
      () => undefined,
    );
    return () => {
      onViewer(undefined);
      viewer.destroy();
    };
  }, [onViewer, onError, onCamera, onLoad]);
  return (
    <iframe
      ref={frame}
      className="design-frame"
      src={src}
      title={title}
      referrerPolicy="strict-origin"
      allow="fullscreen"
    />
  );
}
