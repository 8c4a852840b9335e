import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname } from 'node:path';
import type { TestContext } from 'node:test';
import { GRANT_HEADER } from '@cloche/contract/viewer-config';
import { type Certificate, makeCertificate } from '../tls-proxy.ts';
import { createActions } from './gate-actions.ts';
import type { GateCase } from './gate-case.ts';
import { GateRun } from './gate-run.ts';
import { GateService } from './gate-service.ts';
import { GateSites } from './gate-sites.ts';
import { openUngatedService } from './ungated-service.ts';

/** The service, its copy without a gate, the web sites, and all runs. */
export class GateWorld {
  readonly certificate: Certificate;
  readonly service: GateService;
  readonly #sites: GateSites;
  readonly #sharedDesignId: string;
  #ungatedOrigins: GateService['origins'];
  /** Each run by its id, by its token, the id of its token, and its design if it has one of its own. */
  readonly #runs = new Map<string, GateRun>();
  #runCount = 0;

  private constructor(
    certificate: Certificate,
    service: GateService,
    sites: GateSites,
    designId: string,
  ) {
    this.certificate = certificate;
    this.service = service;
    this.#sites = sites;
    this.#sharedDesignId = designId;
    this.#ungatedOrigins = service.origins;
    service.onResponse((request, response) => this.#record(request, response));
    const actions = createActions(service);
    sites.onAction = async (runId, action, text) => {
      const run = this.#runs.get(runId);
      const act = actions[action];
      if (run === undefined || act === undefined) throw new Error(`no action ${action}`);
      return act(run, text);
    };
  }

  static async open(t: TestContext): Promise<GateWorld> {
    const certificate = await makeCertificate();
    const service = await GateService.open(t, certificate);
    const sites = await GateSites.open(t, certificate);
    const { id: designId } = await service.addDesign();
    const world = new GateWorld(certificate, service, sites, designId);
    const page = sites.toOrigin({});
    const { token } = await service.addToken({ origins: [page] });
    const findRun = (url: URL) => world.#findRun(url);
    world.#ungatedOrigins = await openUngatedService(t, {
      ...{ service, certificate, designId, token, page, findRun },
    });
    return world;
  }

  /** Creates a run of a case, with its own token, and adds its pages. Returns the URL to open. */
  async createRun(gateCase: GateCase, isControl: boolean): Promise<{ run: GateRun; url: string }> {
    this.#runCount += 1;
    const id = `r${this.#runCount}`;
    const { service } = this;
    const address = gateCase.service ?? 'https';
    const designId = gateCase.ownDesign ? (await service.addDesign()).id : this.#sharedDesignId;
    const toOrigin: GateRun['toOrigin'] = (host, options) =>
      this.#sites.toOrigin({ host, ...options });
    const listed = gateCase.origins?.({ toOrigin }) ?? listDefaultOrigins(toOrigin);
    const token = await service.addToken({ origins: listed, ...gateCase.token });
    const run = new GateRun({
      id,
      sites: this.#sites,
      service: (isControl ? this.#ungatedOrigins : service.origins)[address],
      token,
      designId,
      isControl,
    });
    this.#register(run);
    await gateCase.prepare?.(run, service);
    // Preparing a run may have replaced its token and its design.
    this.#register(run);
    run.evidence.reset();
    const page = gateCase.render(run);
    const url = page instanceof URL ? page.href : run.addFirstPage(page, gateCase.page);
    // A URL in place of a page cannot say that its attempts are over.
    run.isDone = page instanceof URL;
    return { run, url };
  }

  #register(run: GateRun): void {
    const { id, token, designId } = run;
    for (const key of [id, token.id, token.token]) this.#runs.set(key, run);
    if (designId !== this.#sharedDesignId) this.#runs.set(designId, run);
  }

  #findRun(url: URL): GateRun | undefined {
    const { searchParams, pathname } = url;
    const designId = pathname.split('/').find((part) => this.#runs.has(part)) ?? '';
    const keys = [searchParams.get('run') ?? '', searchParams.get('token') ?? '', designId];
    return keys.map((key) => this.#runs.get(key)).find((run) => run !== undefined);
  }

  #record(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://service');
    const [tokenId = '', designId = ''] = String(request.headers[GRANT_HEADER] ?? '').split('.');
    const run = this.#runs.get(tokenId) ?? this.#runs.get(designId) ?? this.#findRun(url);
    if (run === undefined || url.pathname.startsWith('/embed/viewer/')) return;
    const { evidence } = run;
    const isServed = response.statusCode < 400 && request.method !== 'OPTIONS';
    const isFile = /^\/embed\/assets\/|\.jpg$|\/poster$/.test(url.pathname);
    evidence.responses += 1;
    if (isServed && isFile) {
      evidence.assets += 1;
      evidence.fileTypes.add(extname(url.pathname));
    }
    if (isServed && !isFile) evidence.documents += 1;
    evidence.log.push(
      `${request.method} ${url.pathname} ${response.statusCode} ${request.headers['sec-fetch-dest'] ?? ''} ${request.headers.referer ?? ''}`,
    );
  }
}

const listDefaultOrigins = (toOrigin: GateRun['toOrigin']) => [
  toOrigin('shop.test'),
  toOrigin('*.wild.test'),
];
