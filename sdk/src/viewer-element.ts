import { EVENT_NAMES, type ViewerMessageEvents } from '@cloche/contract/message';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import { controlIframe } from './control-iframe.ts';
import { createEmbedUrlFor, type EmbedSource, hasSource } from './embed-url.ts';
import { createIframe, DEFAULT_TITLE } from './iframe.ts';
import { OPTION_NAMES, parseOptionAttribute, toKebabCase } from './option-names.ts';
import type { ViewerHandle } from './viewer-handle.ts';

const ELEMENT_NAME = 'cloche-viewer';
const SOURCE_NAMES = ['src', 'design', 'token', 'service'] as const satisfies (keyof EmbedSource)[];
/** The property of each attribute. */
const PROPERTY_NAMES = new Map<string, keyof ElementProperties>(
  [...SOURCE_NAMES, ...OPTION_NAMES].map((name) => [toKebabCase(name), name]),
);

/** The properties: undefined means that the attribute is not set. `title` and `lang` are those of all elements. */
export type ElementProperties = EmbedSource & {
  [Name in keyof ViewerOptions]?: ViewerOptions[Name] | undefined;
};

type KebabCase<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${KebabCase<Rest>}`
  : '';

/** The attributes, as frameworks write them. */
export type ElementAttributes = {
  [Name in keyof ElementProperties as KebabCase<Name>]?: ElementProperties[Name];
};

/** The events, with the details of the viewer in `detail`. They do not bubble. */
export type ElementEvents = {
  [Name in keyof ViewerMessageEvents]: CustomEvent<ViewerMessageEvents[Name]>;
};

/** The first signature that fits is used, so those of our events come first. */
type ElementInterface = {
  addEventListener<Name extends keyof ElementEvents>(
    type: Name,
    listener: (event: ElementEvents[Name]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
} & HTMLElement &
  Omit<ElementProperties, 'title' | 'lang'>;

/** On a server there are no elements; importing this file must work there all the same. */
const ElementBase = (globalThis.HTMLElement ?? class {}) as new () => ElementInterface;

/**
 * `<cloche-viewer>`: a design as an element. Its attributes are `src`, or `design`, `token` and `service`, and all options.
 *
 * With the iframe of a snippet inside, it controls that iframe. Then the design is also shown where this script does not run.
 *
 * @example <cloche-viewer design="cloche:design:…" token="cloche_pk_…" auto-rotate></cloche-viewer>
 * @example <cloche-viewer><iframe src="…" title="Oak chair"></iframe></cloche-viewer>
 */
export class ClocheViewerElement extends ElementBase {
  static readonly observedAttributes = [...PROPERTY_NAMES.keys()];
  /** Undefined while the element is not in a page or has nothing to show. */
  viewer: ViewerHandle | undefined;
  readonly #changed = new Set<string>();
  /** The options that the URL of the iframe does not contain. */
  #options: ViewerOptions = {};

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(':host{display:block}:host([hidden]){display:none}');
    root.adoptedStyleSheets = [sheet];
    // The iframe can be added later, also by the parser of the page.
    const slot = document.createElement('slot');
    slot.addEventListener('slotchange', () => this.#update());
    root.append(slot);
  }

  connectedCallback(): void {
    // Properties that were set before this class was known hide those of the class.
    for (const name of PROPERTY_NAMES.values()) {
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      delete (this as Record<string, unknown>)[name];
      Object.assign(this, { [name]: value });
    }
    this.#update();
  }

  disconnectedCallback(): void {
    // An element that is moved is connected again by now. Its iframe loads itself again.
    queueMicrotask(() => this.#update());
  }

  attributeChangedCallback(name: string, previous: string | null, value: string | null): void {
    if (previous === value) return;
    if (this.#changed.size === 0) queueMicrotask(() => this.#applyChanges());
    this.#changed.add(name);
  }

  #applyChanges(): void {
    const names = [...this.#changed].map((name) => PROPERTY_NAMES.get(name) ?? '');
    this.#changed.clear();
    if (names.length === 0) return;
    if (!this.viewer || names.some((name) => (SOURCE_NAMES as readonly string[]).includes(name))) {
      this.#update();
      return;
    }
    const changes = names.map((name) => [
      name,
      this.#read(name as keyof ElementProperties) ?? null,
    ]);
    this.viewer.setOptions(Object.fromEntries(changes)).catch(console.warn);
  }

  /** Connects to the iframe inside, or to one of its own, or ends the connection. */
  #update(): void {
    const inner = this.isConnected ? this.querySelector('iframe') : null;
    const properties = this.#readAll();
    const current = this.viewer?.iframe;
    if (inner) {
      if (current === inner) return;
      this.#destroy();
      const { src, design, token, service, ...options } = properties;
      this.#control(inner, options);
    } else if (this.isConnected && hasSource(properties)) {
      try {
        this.#show(properties, current);
      } catch (error) {
        this.#dispatch('error', error);
      }
    } else {
      this.#destroy();
    }
  }

  /** Shows a design in an iframe of its own. @throws {ClocheError} */
  #show(properties: EmbedSource & ViewerOptions, current: HTMLIFrameElement | undefined): void {
    if (current?.getRootNode() === this.shadowRoot) {
      const url = createEmbedUrlFor(this, properties);
      if (url !== current.src) this.#replaceSource(current, url, properties.title);
      return;
    }
    this.#destroy();
    this.#control(createIframe(this.shadowRoot as ShadowRoot, properties), {}, true);
  }

  /** An iframe that is removed and added again is no step in the history of the browser. */
  #replaceSource(iframe: HTMLIFrameElement, url: string, title = DEFAULT_TITLE): void {
    // The new URL contains all options.
    for (const name of OPTION_NAMES) delete this.#options[name];
    iframe.remove();
    Object.assign(iframe, { src: url, title });
    this.shadowRoot?.append(iframe);
  }

  #control(iframe: HTMLIFrameElement, options: ViewerOptions, removable = false): void {
    const viewer = controlIframe(iframe, { options, removable });
    for (const name of EVENT_NAMES) viewer.on(name, (detail) => this.#dispatch(name, detail));
    this.viewer = viewer;
    this.#options = options;
    // It has all options of this time.
    this.#changed.clear();
  }

  #dispatch(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  #destroy(): void {
    this.viewer?.destroy();
    this.viewer = undefined;
  }

  #readAll(): EmbedSource & ViewerOptions {
    const entries = [...PROPERTY_NAMES.values()].map((name) => [name, this.#read(name)]);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }

  /** The value of an attribute. */
  #read(name: keyof ElementProperties): unknown {
    return readAttribute(this, name);
  }
}

for (const [attribute, name] of PROPERTY_NAMES) {
  // `title` and `lang` are properties of all elements.
  if (name in ElementBase.prototype) continue;
  Object.defineProperty(ClocheViewerElement.prototype, name, {
    configurable: true,
    enumerable: true,
    get(this: Element) {
      return readAttribute(this, name);
    },
    set(this: Element, value: unknown) {
      if (value === undefined || value === null) this.removeAttribute(attribute);
      else this.setAttribute(attribute, String(value));
    },
  });
}

function readAttribute(element: Element, name: keyof ElementProperties): unknown {
  const text = element.getAttribute(toKebabCase(name));
  if (text === null) return undefined;
  const isSource = (SOURCE_NAMES as readonly string[]).includes(name);
  return isSource ? text : parseOptionAttribute(name as keyof ViewerOptions, text);
}

/** Defines `<cloche-viewer>` in this page, once. On a server it does nothing. */
export function defineElement(): void {
  const registry = globalThis.customElements;
  if (registry && !registry.get(ELEMENT_NAME)) registry.define(ELEMENT_NAME, ClocheViewerElement);
}

declare global {
  interface HTMLElementTagNameMap {
    'cloche-viewer': ClocheViewerElement;
  }
}
