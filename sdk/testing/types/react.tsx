/** Type checked, not run: the component and the element in JSX. A wrong use without an error fails the type check. */
import { useRef } from 'react';
import type { ViewerHandle } from '../../src/index.ts';
import { ClocheViewer } from '../../src/react.ts';
import type { ClocheViewerElement } from '../../src/viewer-element.ts';

export function Component() {
  const viewer = useRef<ViewerHandle>(null);
  const element = useRef<ClocheViewerElement>(null);
  return (
    <>
      <ClocheViewer
        ref={viewer}
        src="https://cloche.example.com/embed/iframe/v1/…?token=…"
        cameraOrbit="30deg 75deg 105%"
        theme="dark"
        className="view"
        onCameraChange={({ orbit }) => orbit.theta.toFixed(2)}
        onPick={({ part }) => viewer.current?.frame(part.id, { durationMs: 500 })}
      />
      {/* @ts-expect-error: not one of the themes */}
      <ClocheViewer src="" theme="blue" />
      {/* @ts-expect-error: not an option */}
      <ClocheViewer src="" camera="" />
      {/* @ts-expect-error: the event of the viewer has no such detail */}
      <ClocheViewer src="" onLoad={({ target }) => target.id} />
      <cloche-viewer ref={element} src="" auto-rotate camera-orbit="auto" className="view">
        <iframe src="" title="Oak chair" />
      </cloche-viewer>
      {/* @ts-expect-error: not a number */}
      <cloche-viewer exposure="bright" />
    </>
  );
}
