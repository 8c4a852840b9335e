import { createHash } from 'node:crypto';
import type { PageOptions } from './gate-case.ts';
import type { GateSites } from './gate-sites.ts';

/** What the services and the pages of one run have recorded since its last reset. */
export class Evidence {
  /** Responses with a framed document. The browser may still refuse it. */
  documents = 0;
  /** Responses with a model, a poster or a picture of the design. */
  assets = 0;
  /** The types of these files: `.glb` and `.webp`. */
  fileTypes = new Set<string>();
  /** All responses, also refusals. */
  responses = 0;
  /** What the page could read. */
  reports: string[] = [];
  /** One line for each response, for the message of a failed test. */
  readonly log: string[] = [];

  reset(): void {
    Object.assign(this, { documents: 0, assets: 0, responses: 0, reports: [] });
    this.fileTypes.clear();
    this.log.push('reset');
  }
}

type GateRunOptions = {
  id: string;
  sites: GateSites;
  /** The origin of the service, or of its copy without a gate. */
  service: string;
  /** The token of this run. */
  token: { id: string; token: string };
  designId: string;
  /** Whether this run uses the copy of the service without a gate. */
  isControl: boolean;
};

/** One opened page: with the service, or as a control with a copy of it that has no gate. */
export class GateRun {
  readonly id: string;
  readonly service: string;
  token: { id: string; token: string };
  designId: string;
  readonly isControl: boolean;
  readonly evidence = new Evidence();
  /** Whether the attempts of the page are over. */
  isDone = false;
  /** Whether the page was closed: then nothing waits for it any more. */
  isClosed = false;
  /** The URL of the framed document. */
  src: string;
  readonly #sites: GateSites;
  #lastPage = 0;

  constructor({ id, sites, service, token, designId, isControl }: GateRunOptions) {
    this.id = id;
    this.service = service;
    this.token = token;
    this.designId = designId;
    this.isControl = isControl;
    this.#sites = sites;
    this.src = this.toSrc(token.token);
  }

  /** Replaces the token and the design. */
  use(token: { id: string; token: string }, designId = this.designId): void {
    this.token = token;
    this.designId = designId;
    this.src = this.toSrc(token.token);
  }

  /** The URL of the framed document with another token. */
  toSrc(tokenString: string): string {
    const control = this.isControl ? `&run=${this.id}` : '';
    return `${this.service}/embed/iframe/v1/${this.designId}?token=${tokenString}${control}`;
  }

  /** Names the run in a URL whose token does not. The service ignores it. */
  get marker(): string {
    return `&run=${this.id}`;
  }

  /** The URL of another path of the service. */
  toUrl(path: string): string {
    const control = this.isControl ? `${path.includes('?') ? '&' : '?'}run=${this.id}` : '';
    return `${this.service}${path}${control}`;
  }

  toOrigin = (host: string, options: Omit<PageOptions, 'host'> = {}): string =>
    this.#sites.toOrigin({ host, ...options });

  /** An iframe with the framed document, as in the snippet. */
  frame = (attributes = 'referrerpolicy="strict-origin"', src = this.src): string =>
    `<iframe id="embed" ${attributes} src="${src}" ${FRAME_SIZE}></iframe>`;

  /** Adds a page, and returns its URL. */
  addPage = (html: string, options: PageOptions = {}): string => {
    this.#lastPage += 1;
    const path = `/${this.id}/${this.#lastPage}`;
    this.#sites.addPage(path, {
      body: `<!doctype html><title>page</title><link rel="icon" href="data:,"><style>body{margin:0;background:#fff}iframe{border:0}</style>${html}`,
      ...(options.status && { status: options.status }),
      ...(options.headers && { headers: options.headers }),
    });
    return `${this.#sites.toOrigin(options)}${path}`;
  };

  /** Adds the page that is opened first. It says when its attempts are over: when it is loaded, or later if it calls `gate.hold()`. */
  addFirstPage = (html: string, options: PageOptions = {}): string =>
    this.addPage(renderGateScript(this.#toActionUrl(options)) + html, options);

  /** An iframe with a page of a site. */
  nest = (html: string, options: PageOptions = {}, attributes = ''): string =>
    `<iframe ${attributes} src="${this.addPage(html, options)}" ${FRAME_SIZE}></iframe>`;

  /** Adds a file with another type than HTML. Returns its path. */
  addFile = (body: string, contentType: string, headers: Record<string, string> = {}): string => {
    const hash = createHash('sha256').update(body).digest('hex').slice(0, 16);
    const path = `/${this.id}/${hash}`;
    this.#sites.addPage(path, { body, headers: { 'content-type': contentType, ...headers } });
    return path;
  };

  #toActionUrl(options: PageOptions): string {
    return `${this.#sites.toOrigin(options)}/gate/${this.id}/`;
  }
}

/** The attributes of each iframe: smaller than the window, so that screenshots show it completely. */
export const FRAME_SIZE = 'width="220" height="180"';

/**
 * The functions for the scripts of the first page. `gate.call(action)` runs an action of gate-actions.ts; `gate.load` sets the URL
 * of a frame and waits until it is loaded or refused. A frame that is loading already would ignore the same URL: `await gate.loaded` first.
 */
function renderGateScript(actionUrl: string): string {
  return `<script>
const gate = {
  held: false,
  call: (action, body = '') =>
    fetch('${actionUrl}' + action, { method: 'POST', body, cache: 'no-store' }).then((response) => response.text()),
  report: (text) => gate.call('report', text),
  hold() { gate.held = true; },
  done: () => gate.call('done'),
  /** Says that the attempts are over, then leaves the page. */
  leave(navigate) { gate.held = true; gate.done().then(navigate); },
  load: (frame, src) => new Promise((resolve) => {
    frame.addEventListener('load', resolve, { once: true });
    frame.src = src ?? frame.src;
  }),
  /** Runs an async function, then says that the attempts are over. */
  run(attempts) {
    gate.held = true;
    return attempts().catch((error) => gate.call('failed', String(error))).then(gate.done);
  },
};
gate.loaded = new Promise((resolve) => addEventListener('load', resolve));
gate.loaded.then(() => gate.held || gate.done());
// The page comes back as it was: its scripts do not run again.
addEventListener('pageshow', (event) => event.persisted && gate.done());
</script>`;
}
