import { Problem } from '@cloche/contract/problem';
import type { ViewerConfig } from '@cloche/contract/viewer-config';
import type { Artifact, DesignRecord } from '../designs/design.ts';
import type { TokenRecord } from '../tokens/token.ts';
import { toFrameAncestorsDirective } from './access-policy.ts';
import type { GrantSigner } from './asset-grant.ts';
import type { AuthorizedView } from './authorize-view.ts';
import type { ViewerBuild } from './viewer-build.ts';
import { parseViewerTemplate, type ViewerTemplate } from './viewer-template.ts';

/** A framed document and the headers it is sent with. */
export type FramedDocument = { html: string; headers: Record<string, string> };

/** So many documents are sent as they were written before. */
const MAX_CACHED_DOCUMENTS = 2000;

/** Writes framed documents and their headers, from the built viewer. */
export class FramedDocumentRenderer {
  readonly #template: ViewerTemplate;
  /**
   * What was written last for a token and a design. Shelves give a new object for what has changed,
   * so nothing stale is found here.
   */
  #cache = new WeakMap<TokenRecord, WeakMap<DesignRecord, FramedDocument & { renewAt: number }>>();
  readonly #grantSigner: GrantSigner;
  #cacheSize = 0;

  constructor(viewer: ViewerBuild, grants: GrantSigner) {
    this.#template = parseViewerTemplate(viewer);
    this.#grantSigner = grants;
  }

  /** The document that shows a design to those whom a token lets in. */
  render(admission: AuthorizedView, now: Date): FramedDocument {
    const { token, design, revision } = admission;
    if (this.#cacheSize >= MAX_CACHED_DOCUMENTS) this.#clearCache();
    let byDesign = this.#cache.get(token);
    if (byDesign === undefined) {
      byDesign = new WeakMap();
      this.#cache.set(token, byDesign);
    }
    const known = byDesign.get(design);
    if (known !== undefined && now.getTime() < known.renewAt) return known;
    const { value, renewAtMs } = this.#grantSigner.sign(token.id, design.id, revision.id, now);
    const html = this.#template.render(toViewerConfig(admission, value));
    const policy = `${toFrameAncestorsDirective(token.origins)}; ${this.#template.contentSecurityPolicy}`;
    const document = {
      renewAt: renewAtMs,
      html,
      headers: { ...FRAMED_DOCUMENT_HEADERS, 'content-security-policy': policy },
    };
    byDesign.set(design, document);
    this.#cacheSize += 1;
    return document;
  }

  #clearCache(): void {
    this.#cache = new WeakMap();
    this.#cacheSize = 0;
  }
}

/** What the viewer is told. */
function toViewerConfig({ token, design, revision }: AuthorizedView, grant: string): ViewerConfig {
  const { artifacts, stats, posterPlaceholder } = revision;
  const model = artifacts.find(({ kind }) => kind === 'model');
  if (model === undefined) throw new Problem('design.unknown');
  const preview = artifacts.find(({ kind }) => kind === 'preview');
  const posters = artifacts.flatMap(toPosters).sort((one, other) => one.width - other.width);
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
    ...(posters.length > 0 && { posters }),
    ...(posterPlaceholder && { posterPlaceholder }),
    grant,
    allowedOrigins: [...token.origins],
  };
}

function toPosters({ kind, blob, width, height }: Artifact) {
  if (!kind.startsWith('poster') || width === undefined || height === undefined) return [];
  return [{ url: `/embed/assets/${blob}.webp`, width, height }];
}

/** For every answer in a frame. Pages that are cross-origin isolated need both CORP and COEP. */
export const FRAMED_DOCUMENT_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'origin-agent-cluster': '?1',
  'permissions-policy':
    'accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), geolocation=(), gyroscope=(), hid=(), idle-detection=(), magnetometer=(), microphone=(), midi=(), payment=(), screen-wake-lock=(), serial=(), usb=()',
  'x-robots-tag': 'noindex',
};
