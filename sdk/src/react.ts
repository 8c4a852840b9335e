/** `@cloche/sdk/react`: `<ClocheViewer>`, and the types of `<cloche-viewer>` in JSX. */
import { EVENT_NAMES, type ViewerMessageEvents } from '@cloche/contract/message';
import {
  type ComponentPropsWithoutRef,
  createElement,
  type DetailedHTMLProps,
  type ForwardedRef,
  type ForwardRefExoticComponent,
  forwardRef,
  type HTMLAttributes,
  type RefAttributes,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
} from 'react';
import { type CreateViewerOptions, createViewer } from './create-viewer.ts';
import { createEmbedUrl, createEmbedUrlFor } from './embed-url.ts';
import { DEFAULT_TITLE, IFRAME_PROPERTIES } from './iframe.ts';
import { OPTION_NAMES, pickOptions } from './option-names.ts';
import type { ClocheViewerElement, ElementAttributes } from './viewer-element.ts';
import type { ViewerHandle, ViewerListener } from './viewer-handle.ts';

/** The property of each event. */
const EVENT_PROPERTIES = {
  load: 'onLoad',
  error: 'onError',
  progress: 'onProgress',
  'camera-change': 'onCameraChange',
  'model-visibility': 'onModelVisibility',
  pick: 'onPick',
  play: 'onPlay',
  pause: 'onPause',
} as const satisfies Record<keyof ViewerMessageEvents, string>;

type EventName = keyof typeof EVENT_PROPERTIES;

/** Called with the details of the events of the viewer. */
export type ClocheViewerEventHandlers = {
  [Name in EventName as (typeof EVENT_PROPERTIES)[Name]]?:
    | ((detail: ViewerMessageEvents[Name]) => void)
    | undefined;
};

/** What to show, all options, the events, and attributes of the iframe such as `className`, `style` and `id`. */
export type ClocheViewerProps = CreateViewerOptions &
  ClocheViewerEventHandlers &
  Omit<
    ComponentPropsWithoutRef<'iframe'>,
    keyof CreateViewerOptions | keyof ClocheViewerEventHandlers | 'children'
  >;

const OWN_PROPERTIES: readonly string[] = [
  ...OPTION_NAMES,
  ...Object.values(EVENT_PROPERTIES),
  ...(['src', 'design', 'token', 'service', 'timeoutMs'] satisfies (keyof CreateViewerOptions)[]),
];

const STYLE = { display: 'block', width: '100%', aspectRatio: '4/3', border: 0 } as const;

/**
 * A design as a React component: an `<iframe>`, also in the HTML of a server. The ref is the `ViewerHandle`.
 *
 * A change of an option is sent to the viewer. A change of `src`, `design`, `token` or `service` loads the iframe again.
 *
 * @example <ClocheViewer service="https://cloche.example.com" design={uri} token={token} variantName={color} />
 */
export const ClocheViewer: ForwardRefExoticComponent<
  ClocheViewerProps & RefAttributes<ViewerHandle>
> = forwardRef(function ClocheViewer(props: ClocheViewerProps, ref: ForwardedRef<ViewerHandle>) {
  const { src, design, token, service, timeoutMs, title, style } = props;
  const options = pickOptions(props);
  const optionsJson = JSON.stringify(options);
  const isServerHtml = useSyncExternalStore(
    subscribeToNothing,
    () => false,
    () => true,
  );
  // The options at this time are those of the URL. A later change must not load the iframe again.
  const { source, url, serverUrl, urlOptions } = useMemo(() => {
    const source = { src, design, token, service, ...options };
    const url = createEmbedUrl(source);
    return { source, url, serverUrl: isServerHtml ? url : undefined, urlOptions: options };
  }, [src, design, token, service]);
  const viewerRef = useRef<ViewerHandle | null>(null);
  const latestProps = useRef(props);
  const sentOptions = useRef<Record<string, unknown>>(urlOptions);
  const latestRef = useRef(ref);
  latestRef.current = ref;
  const setRefs = useRef<SetRef>(undefined);
  const publish = useCallback(() => {
    setRefs.current?.unset();
    const [target, viewer] = [latestRef.current, viewerRef.current];
    setRefs.current = viewer ? { target, unset: setRef(target, viewer) } : undefined;
  }, []);

  const attach = useCallback(
    (iframe: HTMLIFrameElement | null) => {
      viewerRef.current?.destroy();
      // Only an element that is in the page has a language. StrictMode attaches the same iframe twice.
      if (iframe && !iframe.src) iframe.src = createEmbedUrlFor(iframe, source);
      viewerRef.current = iframe && createViewer(iframe, { timeoutMs });
      sentOptions.current = urlOptions;
      if (viewerRef.current) addListeners(viewerRef.current, latestProps);
      publish();
    },
    [timeoutMs, source, urlOptions],
  );

  useEffect(() => {
    latestProps.current = props;
    // Another function as ref, as each rendering may have, gets the same handle.
    if (viewerRef.current && setRefs.current?.target !== ref) publish();
  });
  useEffect(() => {
    const next = JSON.parse(optionsJson);
    const changes = findChanges(sentOptions.current, next);
    sentOptions.current = next;
    if (changes !== undefined) viewerRef.current?.setOptions(changes).catch(console.warn);
  }, [optionsJson]);

  const attributes = Object.entries(props).filter(([name]) => !OWN_PROPERTIES.includes(name));
  return createElement('iframe', {
    ...IFRAME_PROPERTIES,
    ...Object.fromEntries(attributes),
    loading: options.loading === 'eager' ? 'eager' : 'lazy',
    title: title ?? DEFAULT_TITLE,
    style: { ...STYLE, ...style },
    src: serverUrl,
    // Another URL gets another iframe: that is no step in the history of the browser.
    key: url,
    ref: attach,
  });
});

/** Whether React renders HTML of a server never changes by itself. */
function subscribeToNothing(): () => void {
  return () => {};
}

function addListeners(viewer: ViewerHandle, latestProps: { current: ClocheViewerProps }): void {
  for (const name of EVENT_NAMES) addListener(viewer, name, latestProps);
}

function addListener<Name extends EventName>(
  viewer: ViewerHandle,
  name: Name,
  latestProps: { current: ClocheViewerProps },
): void {
  viewer.on(name, (detail) => {
    const handlers: Record<string, unknown> = latestProps.current;
    const handler = handlers[EVENT_PROPERTIES[name]] as ViewerListener<Name> | undefined;
    handler?.(detail);
  });
}

/** The options that differ; null for those that were removed. Undefined if none differ. */
function findChanges(
  previous: Record<string, unknown>,
  next: Record<string, unknown>,
): Parameters<ViewerHandle['setOptions']>[0] | undefined {
  const names = OPTION_NAMES.filter((name) => previous[name] !== next[name]);
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map((name) => [name, next[name] ?? null]));
}

/** A ref that has the handle. */
type SetRef = { target: ForwardedRef<ViewerHandle>; unset: () => void } | undefined;

/** Sets a ref, and returns a function that ends it. From React 19 on, a function can return its own cleanup. */
function setRef(ref: ForwardedRef<ViewerHandle>, viewer: ViewerHandle): () => void {
  if (typeof ref === 'function') {
    const cleanup = ref(viewer) as (() => void) | undefined;
    return cleanup ?? (() => ref(null));
  }
  if (ref) ref.current = viewer;
  return () => {
    if (ref) ref.current = null;
  };
}

/** The element in JSX. */
export type ClocheViewerJsxElement = DetailedHTMLProps<
  HTMLAttributes<ClocheViewerElement>,
  ClocheViewerElement
> &
  ElementAttributes;

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'cloche-viewer': ClocheViewerJsxElement;
    }
  }
}
