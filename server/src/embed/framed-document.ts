import assert from 'node:assert/strict';
import { Problem } from '@cloche/contract/problem';
import type { ModelLevels, ViewerConfig } from '@cloche/contract/viewer-config';
import { LANGUAGES, type Language } from '@cloche/contract/viewer-options';
import type { BlobStore } from '../blobs/blob-store.ts';
import { Cache } from '../cache/cache.ts';
import type { Artifact, ReadyRevision } from '../designs/design.ts';
import { createLanguageHeaders } from '../http/choose-language.ts';
import { CompressedText } from '../http/compressed-text.ts';
import { FRAMED_PAGE_HEADERS } from '../http/page-headers.ts';
import { type GrantSigner, toGrantExpiry } from './asset-grant.ts';
import type { AuthorizedView } from './authorize-view.ts';
import { createContentSecurityPolicy, createPreviewPolicy } from './content-security-policy.ts';
import type { ViewerBuild } from './viewer-build.ts';
import { type InlinePoster, parseViewerTemplate } from './viewer-template.ts';

/** The framed document with its headers; it also needs `Content-Encoding`. */
export type FramedDocument = {
  /** Nothing of the request is in it, so the size of the compressed text reveals nothing of the grant. */
  body: CompressedText;
  headers: Readonly<Record<string, string>>;
};

const MAX_CACHED_DOCUMENTS = 500;
const CACHE_TTL_MS = 5 * 60 * 1000;
const VARY = 'accept-encoding, accept-language';

/**
 * Renders framed documents from the template of the built viewer. Rendering takes a third of the time
 * of a request, and compressing ten times as long, so documents are cached.
 */
export class FramedDocumentRenderer {
  readonly #viewer: ViewerBuild;
  readonly #grantSigner: GrantSigner;
  readonly #fillTemplates: ReadonlyMap<Language, ReturnType<typeof parseViewerTemplate>>;
  readonly #blobs: Pick<BlobStore, 'read'>;
  readonly #cache = new Cache<FramedDocument>({
    maxEntries: MAX_CACHED_DOCUMENTS,
    ttlMs: CACHE_TTL_MS,
  });

  constructor(viewer: ViewerBuild, grantSigner: GrantSigner, blobs: Pick<BlobStore, 'read'>) {
    this.#viewer = viewer;
    this.#grantSigner = grantSigner;
    this.#blobs = blobs;
    this.#fillTemplates = new Map(
      LANGUAGES.map((language) => [
        language,
        parseViewerTemplate(viewer.languages[language].template),
      ]),
    );
  }

  /** Returns the document that shows a design, with an asset grant. */
  async render(view: AuthorizedView, language: Language, now: Date): Promise<FramedDocument> {
    const { grantee, design, revision, origins, posterVisibility } = view;
    const expiresAt = toGrantExpiry(now);
    // The key has everything that the document and its headers depend on.
    const { id, name, description } = design;
    const { id: granteeId, scopeVersion } = grantee;
    const ids = [granteeId, scopeVersion, id, revision.id, posterVisibility, language];
    const key = JSON.stringify([ids, name, description, origins, expiresAt.getTime()]);
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const document = {
      body: await this.#fill(view, language, expiresAt),
      headers: {
        ...createHeaders(language),
        'content-security-policy': createContentSecurityPolicy(origins, this.#viewer),
      },
    };
    this.#cache.set(key, document);
    return document;
  }

  /** Returns the document of a preview, which only our own pages may frame. */
  async renderPreview(
    view: AuthorizedView,
    language: Language,
    now: Date,
  ): Promise<FramedDocument> {
    return {
      body: await this.#fill(view, language, toGrantExpiry(now)),
      headers: {
        ...createHeaders(language),
        'cross-origin-resource-policy': 'same-origin',
        'content-security-policy': createPreviewPolicy(this.#viewer),
      },
    };
  }

  async #fill(view: AuthorizedView, language: Language, expiresAt: Date): Promise<CompressedText> {
    const config = toViewerConfig(view, this.#signGrant(view, expiresAt));
    const fillTemplate = this.#fillTemplates.get(language);
    assert(fillTemplate);
    return new CompressedText(fillTemplate(config, await this.#readInlinePoster(view)));
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

  #signGrant({ grantee, design, revision }: AuthorizedView, expiresAt: Date): string {
    return this.#grantSigner.sign({
      granteeId: grantee.id,
      designId: design.id,
      revisionId: revision.id,
      expiresAt,
      scopeVersion: grantee.scopeVersion,
    });
  }
}

function createHeaders(language: Language): Record<string, string> {
  return { ...FRAMED_PAGE_HEADERS, ...createLanguageHeaders(language), vary: VARY };
}

function toViewerConfig(
  { design, revision, origins }: AuthorizedView,
  grant: string,
): ViewerConfig {
  const { artifacts, stats, posterPlaceholder } = revision;
  const model = artifacts.find(({ kind }) => kind === 'model');
  if (model === undefined) throw new Problem('design.unknown');
  const preview = artifacts.find(({ kind }) => kind === 'preview');
  const levels = toModelLevels(revision);
  const posters = artifacts.flatMap(toPosters).sort((a, b) => a.width - b.width);
  const { id, name, description } = design;
  return {
    design: { id, name, ...(description !== '' && { description }) },
    model: {
      url: `/embed/assets/${model.blob}.glb`,
      bytes: model.sizeBytes,
      ...(stats.bounds !== undefined && { bounds: stats.bounds }),
    },
    ...(preview && {
      preview: { url: `/embed/assets/${preview.blob}.glb`, bytes: preview.sizeBytes },
    }),
    ...(levels && { levels }),
    ...(posters.length > 0 && { posters }),
    ...(posterPlaceholder && {
      // Older revisions have more fields.
      posterPlaceholder: { background: posterPlaceholder.background },
    }),
    grant,
    ...(origins === 'any'
      ? { allowedOrigins: [], shared: true }
      : { allowedOrigins: [...origins] }),
  };
}

/** Undefined for revisions without levels: their visitors load the model. */
function toModelLevels({ artifacts, report }: ReadyRevision): ModelLevels | undefined {
  const list = (kind: Artifact['kind']) =>
    artifacts
      .filter((artifact) => artifact.kind === kind)
      .map(({ blob, sizeBytes, level = 0 }) => ({
        level,
        file: { url: `/embed/assets/${blob}.glb`, bytes: sizeBytes },
      }))
      .sort((a, b) => a.level - b.level);
  const [geometries, textures] = [list('geometry'), list('textures')];
  if (geometries.length === 0) return undefined;
  const uvPerMeter = report?.levels?.uvPerMeter;
  return {
    geometries: geometries.map(({ level, file }) => ({ triangles: level, ...file })),
    textures: textures.map(({ level, file }) => ({ size: level, ...file })),
    ...(uvPerMeter !== undefined && { uvPerMeter }),
  };
}

function toPosters({ kind, blob, width, height }: Artifact) {
  const isPoster = kind === 'poster' || kind === 'poster-small';
  if (!isPoster || width === undefined || height === undefined) return [];
  return [{ url: `/embed/assets/${blob}.webp`, width, height }];
}
