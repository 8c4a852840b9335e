import type { Framed } from '@cloche/contract/framed';
import { Problem } from '@cloche/contract/problem';
import type { Artifact, Design } from '../designs/design.ts';
import type { Token } from '../tokens/token.ts';
import type { Admission } from './admit.ts';
import { frameAncestors } from './gate.ts';
import type { Grants } from './grant.ts';
import { readTemplate, type Template } from './template.ts';
import type { ViewerFiles } from './viewer-files.ts';

/** A framed document and the headers it is sent with. */
export type Document = { html: string; headers: Record<string, string> };

/** So many documents are sent as they were written before. */
const REMEMBERED = 2000;

/** Writes framed documents and their headers, from the built viewer. */
export class FramedPage {
  readonly #template: Template;
  /**
   * What was written last for a token and a design. Shelves give a new object for what has changed,
   * so nothing stale is found here.
   */
  #written = new WeakMap<Token, WeakMap<Design, Document & { renewAt: number }>>();
  readonly #grants: Grants;
  #count = 0;

  constructor(viewer: ViewerFiles, grants: Grants) {
    this.#template = readTemplate(viewer);
    this.#grants = grants;
  }

  /** The document that shows a design to those whom a token lets in. */
  write(admission: Admission, now: Date): Document {
    const { token, design, revision } = admission;
    if (this.#count >= REMEMBERED) this.#forget();
    let byDesign = this.#written.get(token);
    if (byDesign === undefined) {
      byDesign = new WeakMap();
      this.#written.set(token, byDesign);
    }
    const known = byDesign.get(design);
    if (known !== undefined && now.getTime() < known.renewAt) return known;
    const { text, renewAt } = this.#grants.make(token.id, design.id, revision.id, now);
    const html = this.#template.fill(frame(admission, text));
    const policy = `${frameAncestors(token.origins)}; ${this.#template.policy}`;
    const document = {
      renewAt,
      html,
      headers: { ...FRAMED_HEADERS, 'content-security-policy': policy },
    };
    byDesign.set(design, document);
    this.#count += 1;
    return document;
  }

  #forget(): void {
    this.#written = new WeakMap();
    this.#count = 0;
  }
}

/** What the viewer is told. */
function frame({ token, design, revision }: Admission, grant: string): Framed {
  const { artifacts, stats, look } = revision;
  const model = artifacts.find(({ kind }) => kind === 'model');
  if (model === undefined) throw new Problem('design.unknown');
  const preview = artifacts.find(({ kind }) => kind === 'preview');
  const posters = artifacts.flatMap(readPoster).sort((one, other) => one.width - other.width);
  const { id, name, description } = design;
  return {
    design: { id, name, ...(description !== '' && { description }) },
    model: {
      url: `/embed/assets/${model.blob}.glb`,
      bytes: model.bytes,
      ...(stats.bounds !== undefined && { bounds: stats.bounds }),
    },
    ...(preview && {
      preview: { url: `/embed/assets/${preview.blob}.glb`, bytes: preview.bytes },
    }),
    ...(posters.length > 0 && { posters }),
    ...(look && { look }),
    grant,
    origins: [...token.origins],
  };
}

function readPoster({ kind, blob, width, height }: Artifact) {
  if (!kind.startsWith('poster') || width === undefined || height === undefined) return [];
  return [{ url: `/embed/assets/${blob}.webp`, width, height }];
}

/** For every answer in a frame. Pages that are cross-origin isolated need both CORP and COEP. */
export const FRAMED_HEADERS: Readonly<Record<string, string>> = {
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
