import type { BrowserContextOptions, Frame, Page } from 'playwright-core';
import type { Interference } from './unreliable-proxy.ts';

/** A failure of the framed document, and what visitors and authors then see. */
export type FailureCase = {
  name: string;
  /** Default: the site that may show the design. */
  host?: 'shop.test' | 'evil.test';
  /** Over https, browsers prove that the document is in an iframe. Default: plain http. */
  secure?: boolean;
  sandbox?: string;
  /** Of the URL, as in a query. */
  options?: string;
  interferences?: readonly Interference[];
  /**
   * The connections that hang are closed when the frame has this element. When a connection ends too early, Chromium
   * drops what it has received and not yet parsed: on a busy machine, all of the document.
   */
  cutAfter?: string;
  contextOptions?: BrowserContextOptions;
  /** Runs in every document, before its scripts. */
  script?: () => void;
  /** Before the page is opened. */
  prepare?: (page: Page) => Promise<unknown>;
  /** After the page has been opened. */
  provoke?: (frame: Frame) => Promise<unknown>;
  repair?: (page: Page) => Promise<unknown>;
  /** The element of the message. */
  selector?: string;
  title: string;
  /** Whether a poster or the preview is visible. Default: true. */
  showsPicture?: boolean;
  /** What the author of the page reads behind "For the site's author", and in the console. */
  advice?: RegExp;
  /** The inline script did not arrive, so there is nothing in the console. */
  isSilent?: boolean;
  /** No script runs at all, not even that of axe. */
  runsNoScript?: boolean;
  /** Whether the document may contain the name. Default: true. */
  namesDesign?: boolean;
  recovery?: 'Reload' | 'Try again';
  /** "Reload" says so if there is still no connection. */
  recoversOffline?: boolean;
  /** The design appears as soon as the cause is gone. */
  recoversItself?: boolean;
  /** The cause cannot be removed. */
  staysBroken?: boolean;
};

const DOCUMENT = /^\/embed\/iframe\//;
const ENTRY_SCRIPT = /^\/embed\/viewer\/viewer-/;
const MODULE_SCRIPTS = /^\/embed\/viewer\/.*\.js/;
const MODELS = /^\/embed\/assets\/.*\.glb/;
const OPTIONS_SCRIPT = /^\/embed\/viewer\/apply-options-/;
const CONTROLS = /^\/embed\/viewer\/mount-deferred/;
const NOT_LOADED = 'The 3D view could not be loaded.';
const NOT_AVAILABLE = 'This 3D view is not available here.';

export const failureCases: readonly FailureCase[] = [
  {
    name: 'document cut after its poster',
    secure: true,
    interferences: [{ path: DOCUMENT, cutAt: 0.6, hangs: true }],
    cutAfter: '#inline-poster',
    selector: '#not-started',
    title: NOT_LOADED,
    advice: /No script of this frame ran/,
    isSilent: true,
    recovery: 'Reload',
  },
  {
    name: 'document cut after its first packet',
    interferences: [{ path: DOCUMENT, cutAt: 0.2, hangs: true }],
    cutAfter: '#not-started details p',
    selector: '#not-started',
    title: NOT_LOADED,
    showsPicture: false,
    advice: /No script of this frame ran/,
    isSilent: true,
    recovery: 'Reload',
  },
  {
    name: 'script cut',
    interferences: [{ path: ENTRY_SCRIPT, cutAt: 0.5 }],
    title: NOT_LOADED,
    advice: /viewer\.script: A script of the viewer did not run.*\/embed\/viewer\/viewer-/,
    recovery: 'Reload',
    recoversOffline: false,
  },
  {
    name: 'script blocked',
    interferences: [{ path: MODULE_SCRIPTS, cutAt: 0 }],
    title: NOT_LOADED,
    advice: /viewer\.script: .*an extension or a proxy blocks it/,
    recovery: 'Reload',
    recoversOffline: true,
  },
  {
    name: 'script late',
    prepare: async (page) => {
      await page.clock.install();
      await page.route(`**/embed/viewer/viewer-*`, () => {});
    },
    provoke: async (frame) => {
      await frame.waitForSelector('#poster');
      await frame.page().clock.fastForward(15_000);
    },
    repair: (page) => page.unroute('**/embed/viewer/viewer-*'),
    title: 'The 3D view is still loading.',
    advice: /viewer\.slow: /,
    recovery: 'Reload',
    recoversItself: true,
  },
  {
    name: 'model cut',
    interferences: [{ path: MODELS, cutAt: 0.5 }],
    title: NOT_LOADED,
    advice: /viewer\.interrupted: A file of the design arrived only in part/,
    recovery: 'Try again',
  },
  {
    name: 'no connection for the model',
    interferences: [{ path: MODELS, cutAt: 0 }],
    title: NOT_LOADED,
    advice: /viewer\.offline: A file of the design could not be requested/,
    recovery: 'Try again',
  },
  {
    name: 'script of the options cut',
    options: 'auto-rotate=true',
    interferences: [{ path: OPTIONS_SCRIPT, cutAt: 0.5 }],
    title: NOT_LOADED,
    advice: /viewer\.script: A script of the viewer could not be loaded/,
    recovery: 'Reload',
  },
  {
    name: 'controls cut',
    interferences: [{ path: CONTROLS, cutAt: 0.5 }],
    selector: '#preview-notice',
    title: 'The controls could not be loaded.',
    recovery: 'Reload',
  },
  {
    name: 'JavaScript off',
    secure: true,
    contextOptions: { javaScriptEnabled: false },
    selector: '#not-started',
    title: NOT_LOADED,
    // The document may be from the cache, and cannot ask the service.
    showsPicture: false,
    advice: /No script of this frame ran/,
    runsNoScript: true,
    recovery: 'Reload',
    staysBroken: true,
  },
  {
    name: 'JavaScript off over plain http',
    contextOptions: { javaScriptEnabled: false },
    selector: '#not-started',
    title: NOT_LOADED,
    showsPicture: false,
    advice: /No script of this frame ran/,
    runsNoScript: true,
    recovery: 'Reload',
    staysBroken: true,
  },
  {
    name: 'sandbox without anything',
    secure: true,
    sandbox: '',
    selector: '#not-started',
    title: NOT_LOADED,
    // The document may be from the cache, and cannot ask the service.
    showsPicture: false,
    advice: /it must contain allow-scripts and allow-same-origin/,
    runsNoScript: true,
    recovery: 'Reload',
    staysBroken: true,
  },
  {
    name: 'sandbox with allow-same-origin',
    secure: true,
    sandbox: 'allow-same-origin',
    selector: '#not-started',
    title: NOT_LOADED,
    // The document may be from the cache, and cannot ask the service.
    showsPicture: false,
    advice: /it must contain allow-scripts and allow-same-origin/,
    runsNoScript: true,
    recovery: 'Reload',
    staysBroken: true,
  },
  {
    name: 'sandbox with allow-scripts',
    secure: true,
    sandbox: 'allow-scripts',
    title: NOT_AVAILABLE,
    advice: /embed\.sandbox: .*Add allow-same-origin/,
  },
  {
    name: 'no WebGL',
    script: () => {
      const { getContext } = HTMLCanvasElement.prototype;
      HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string) {
        return kind === '2d' ? getContext.call(this, kind) : null;
      } as never;
    },
    title: 'This browser cannot show 3D.',
    advice: /viewer\.no-webgl: WebGL 2 is not available/,
  },
  {
    name: 'context lost',
    script: () => {
      const { getContext } = HTMLCanvasElement.prototype;
      HTMLCanvasElement.prototype.getContext = function (
        this: HTMLCanvasElement,
        kind: string,
        options: object,
      ) {
        const isBlocked = kind === 'webgl2' && document.documentElement.dataset.blocked === '';
        return isBlocked ? null : getContext.call(this, kind, options);
      } as never;
    },
    provoke: async (frame) => {
      await frame.waitForSelector('html[data-interactive][data-state="ready"]');
      await frame.evaluate(() => {
        const canvas = document.querySelector<HTMLCanvasElement>('#view canvas');
        const context = canvas?.getContext('webgl2');
        context?.getExtension('WEBGL_lose_context')?.loseContext();
        document.documentElement.dataset.blocked = '';
      });
    },
    repair: async (page) => {
      await page.frames()[1]?.evaluate(() => delete document.documentElement.dataset.blocked);
    },
    title: 'The 3D view has stopped.',
    advice: /viewer\.context-lost: The WebGL context was lost/,
    recovery: 'Try again',
  },
  {
    name: 'page that is not listed',
    host: 'evil.test',
    selector: 'main',
    title: NOT_AVAILABLE,
    showsPicture: false,
    advice: /This page is on http:\/\/evil\.test:\d+, and the token/,
    namesDesign: false,
  },
];
