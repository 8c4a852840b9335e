import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import { LANGUAGES, type Language } from '@cloche/contract/viewer-options';
import type { BlobStore } from '../blobs/blob-store.ts';
import { Cache, type NamedCaches } from '../cache/cache.ts';
import { createLanguageHeaders } from '../http/choose-language.ts';
import { CompressedText } from '../http/compressed-text.ts';
import { FRAMED_PAGE_HEADERS } from '../http/page-headers.ts';
import { type GrantSigner, PREVIEW_GRANT_TTL_MS, toGrantExpiry } from './asset-grant.ts';
import { type AssetUrls, type ToAssetUrl, toOwnAssetUrl } from './asset-urls.ts';
import type { AuthorizedView } from './authorize-view.ts';
import { createCacheHeaders } from './cached-document.ts';
import {
  createContentSecurityPolicy,
  createPreviewPolicy,
  type PolicySources,
} from './content-security-policy.ts';
import type { DocumentRequest } from './document-request.ts';
import { showsPoster } from './poster-options.ts';
import { toViewerConfig } from './to-viewer-config.ts';
import type { ViewerBuild } from './viewer-build.ts';
import {
  type InlinePoster,
  listOptionStyleHashes,
  parseViewerTemplate,
} from './viewer-template.ts';

/** The framed document with its headers; it also needs `Content-Encoding`. */
export type FramedDocument = {
  /**
   * Of the request, only the options are in it. With them, the size of the compressed text could reveal the grant, but
   * only to a page that may show the design, and so may have a grant.
   */
  body: CompressedText;
  headers: Readonly<Record<string, string>>;
};

type RendererDependencies = {
  viewer: ViewerBuild;
  grantSigner: GrantSigner;
  blobs: Pick<BlobStore, 'read'>;
  assetUrls: AssetUrls;
  /** After another version was installed, browsers request the documents in their caches again. */
  programVersion: string;
};

type PolicyOptions = {
  createPolicy: (sources: PolicySources) => string;
  /** Undefined: the document loads nothing from a CDN. */
  cdnOrigin?: string | undefined;
};

type FillOptions = PolicyOptions & {
  /** Of the grant. */
  expiresAt: Date;
  toUrl: ToAssetUrl;
  /** Undefined: browsers must not cache the document. */
  documentVersion?: string | undefined;
};

const MAX_CACHED_DOCUMENTS = 500;
/** Anyone can write URLs with any options, so these documents do not compete with the others for the cache. */
const MAX_CACHED_WITH_OPTIONS = 200;
/**
 * For the same reason they are compressed fast, until they have been sent this often. Otherwise each URL would cost half a
 * millisecond.
 */
const FAST_READS = 4;
const CACHE_TTL_MS = 5 * 60 * 1000;
/** 66 bits: it is compared with other versions of one document only. */
const VERSION_LENGTH = 11;
const VARY = 'accept-encoding, accept-language';
const SAMPLE_DESIGN = { id: '00000000-0000-4000-8000-000000000000', name: 'Sample' };

/**
 * Renders framed documents from the template of the built viewer. Rendering takes a third of the time
 * of a request, and compressing ten times as long, so documents are cached.
 */
export class FramedDocumentRenderer {
  readonly #viewer: ViewerBuild;
  readonly #grantSigner: GrantSigner;
  readonly #fillTemplates: ReadonlyMap<Language, ReturnType<typeof parseViewerTemplate>>;
  /** Changes with the program, with the scripts and styles of the viewer, which are in its templates, and with the CDN. */
  readonly #configurationVersion: string;
  readonly #blobs: Pick<BlobStore, 'read'>;
  readonly #assetUrls: AssetUrls;
  readonly #cache = new Cache<FramedDocument>({
    maxEntries: MAX_CACHED_DOCUMENTS,
    ttlMs: CACHE_TTL_MS,
  });
  readonly #cacheWithOptions = new Cache<FramedDocument>({
    maxEntries: MAX_CACHED_WITH_OPTIONS,
    ttlMs: CACHE_TTL_MS,
  });

  constructor({ viewer, grantSigner, blobs, assetUrls, programVersion }: RendererDependencies) {
    this.#assetUrls = assetUrls;
    this.#viewer = viewer;
    this.#grantSigner = grantSigner;
    this.#blobs = blobs;
    const configuration = [programVersion, viewer.languages, assetUrls.cdnOrigin];
    this.#configurationVersion = hash('sha256', JSON.stringify(configuration));
    this.#fillTemplates = new Map(
      LANGUAGES.map((language) => [
        language,
        parseViewerTemplate(viewer.languages[language].template),
      ]),
    );
  }

  /** Its caches, for metrics. */
  get caches(): NamedCaches {
    return { documents: this.#cache, documentsWithOptions: this.#cacheWithOptions };
  }

  /** Returns the document that shows a design, with an asset grant. */
  async render(
    view: AuthorizedView,
    requested: DocumentRequest,
    now: Date,
  ): Promise<FramedDocument> {
    const { origins, isCacheable = false } = view;
    const expiresAt = toGrantExpiry(now);
    const dependencies = listDependencies(view, requested);
    const ticketExpiry = this.#assetUrls.tickets?.toExpiry(now);
    const key = JSON.stringify([dependencies, ticketExpiry, expiresAt, isCacheable]);
    const cache = hasOptions(requested) ? this.#cacheWithOptions : this.#cache;
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const document = await this.#fill(view, requested, {
      expiresAt,
      toUrl: this.#assetUrls.create(now),
      documentVersion: isCacheable ? this.#toVersion(dependencies, ticketExpiry) : undefined,
      cdnOrigin: this.#assetUrls.cdnOrigin,
      createPolicy: (sources) => createContentSecurityPolicy(origins, sources),
    });
    cache.set(key, document);
    return document;
  }

  /**
   * Returns a new grant for a document that a browser has cached, if `render` would return the same one, but for its grant. Its tickets may be
   * older ones that are still valid. Undefined if the document has changed.
   */
  renewGrant(
    view: AuthorizedView,
    requested: DocumentRequest,
    documentVersion: string,
    now: Date,
  ): string | undefined {
    const dependencies = listDependencies(view, requested);
    const expiries = this.#assetUrls.tickets?.listExpiries(now) ?? [undefined];
    const isCurrent = expiries.some(
      (ticketExpiry) => this.#toVersion(dependencies, ticketExpiry) === documentVersion,
    );
    return isCurrent ? this.#signGrant(view, toGrantExpiry(now)) : undefined;
  }

  #toVersion(dependencies: unknown[], ticketExpiry: Date | undefined): string {
    const text = JSON.stringify([this.#configurationVersion, dependencies, ticketExpiry]);
    return hash('sha256', text, 'base64url').slice(0, VERSION_LENGTH);
  }

  /** Returns the document of a preview, which only our own pages may frame. */
  async renderPreview(
    view: AuthorizedView,
    requested: DocumentRequest,
    now: Date,
  ): Promise<FramedDocument> {
    const { body, headers } = await this.#fill(view, requested, {
      expiresAt: toGrantExpiry(now, PREVIEW_GRANT_TTL_MS),
      // A ticket may be valid for longer than the link.
      toUrl: toOwnAssetUrl,
      createPolicy: createPreviewPolicy,
    });
    return { body, headers: { ...headers, 'cross-origin-resource-policy': 'same-origin' } };
  }

  /** Returns the document with a public file in place of a design. Any page may frame it. */
  renderSample(model: ViewerConfig['model'], requested: DocumentRequest): FramedDocument {
    const { options, warnings } = requested;
    const config: ViewerConfig = {
      design: SAMPLE_DESIGN,
      model,
      ...(Object.keys(options).length > 0 && { options }),
      ...(warnings.length > 0 && { optionWarnings: [...warnings] }),
      grant: '',
      allowedOrigins: [],
      shared: true,
    };
    return this.#fillTemplate(config, undefined, requested, {
      createPolicy: (sources) => createContentSecurityPolicy('any', sources),
    });
  }

  async #fill(
    view: AuthorizedView,
    requested: DocumentRequest,
    { expiresAt, toUrl, documentVersion, ...policyOptions }: FillOptions,
  ): Promise<FramedDocument> {
    const grant = this.#signGrant(view, expiresAt);
    const config: ViewerConfig = {
      ...toViewerConfig(view, requested, { grant, toUrl }),
      ...(documentVersion !== undefined && { documentVersion }),
    };
    const hasPoster = showsPoster(config.options, view.revision.posterOptions);
    const poster = hasPoster ? await this.#readInlinePoster(view) : undefined;
    return this.#fillTemplate(config, poster, requested, policyOptions);
  }

  #fillTemplate(
    config: ViewerConfig,
    poster: InlinePoster | undefined,
    requested: DocumentRequest,
    { createPolicy, cdnOrigin }: PolicyOptions,
  ): FramedDocument {
    const { scriptHashes, styleHashes } = this.#viewer;
    const policy = createPolicy({
      scriptHashes,
      styleHashes: [...styleHashes, ...listOptionStyleHashes(config)],
      cdnOrigin,
    });
    const fastReads = hasOptions(requested) ? FAST_READS : 0;
    const language = config.options?.lang ?? requested.language;
    const fillTemplate = this.#fillTemplates.get(language);
    assert(fillTemplate);
    return {
      body: new CompressedText(fillTemplate(config, poster), { fastReads }),
      headers: {
        ...createHeaders(language),
        ...(config.documentVersion !== undefined &&
          createCacheHeaders(this.#assetUrls.tickets?.minTtlMs)),
        'content-security-policy': policy,
        ...(cdnOrigin !== undefined && { link: `<${cdnOrigin}>; rel=preconnect; crossorigin` }),
      },
    };
  }

  /** Revisions that were processed before there were inline posters have none. */
  async #readInlinePoster({
    revision,
    posterVisibility: visibility,
  }: AuthorizedView): Promise<InlinePoster | undefined> {
    const artifact = revision.artifacts.find(({ kind }) => kind === 'poster-inline');
    if (artifact === undefined) return undefined;
    const { blob, width = 0, height = 0 } = artifact;
    const bytes = await this.#blobs.read(blob);
    return bytes && { bytes, width, height, visibility };
  }

  #signGrant({ grantee, design, revision, pageOrigin }: AuthorizedView, expiresAt: Date): string {
    return this.#grantSigner.sign({
      granteeId: grantee.id,
      designId: design.id,
      revisionId: revision.id,
      expiresAt,
      scopeVersion: grantee.scopeVersion,
      pageOrigin,
    });
  }
}

/** Returns everything that a document and its headers depend on, but for the configuration, and the expiry of its grant and its tickets. */
function listDependencies(view: AuthorizedView, requested: DocumentRequest): unknown[] {
  const { grantee, design, revision, origins, posterVisibility, pageOrigin } = view;
  const { id, name, description, viewer } = design;
  const ids = [grantee.id, grantee.scopeVersion, id, revision.id, posterVisibility, pageOrigin];
  const texts = [name, description, viewer, requested, revision.posterOptions];
  // A poster may be rendered again; and while the model is being made, an attempt to process the revision may replace the preview of another one.
  const files = revision.artifacts.map(({ blob }) => blob).sort();
  return [ids, texts, origins, files];
}

function createHeaders(language: Language): Record<string, string> {
  return { ...FRAMED_PAGE_HEADERS, ...createLanguageHeaders(language), vary: VARY };
}

function hasOptions({ options, warnings }: DocumentRequest): boolean {
  return warnings.length > 0 || Object.keys(options).length > 0;
}
