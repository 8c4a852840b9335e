/**
 * The data that the framed document passes to the viewer, as JSON in `<script type="application/json" id="viewer-config">`.
 * Has no dependencies: the viewer imports it.
 */
import type { ViewerOptions } from './viewer-options.ts';

export type ViewerConfig = {
  design: {
    id: string;
    name: string;
    /** A text alternative for screen readers. Untrusted text, like the name. */
    description?: string;
  };
  /** The model file: its URL on our own origin, its size in bytes, and its bounding box. */
  model: { url: string; bytes: number; bounds?: BoundingBox };
  /**
   * The model is still being made: `model` has no URL yet. A request to this URL, with the grant, returns it as
   * `PendingModel`, or `design.not-ready` until then. The preview is there.
   */
  pendingModelUrl?: string;
  /** A small version of the model, shown while the model loads. Absent if the model is small itself. */
  preview?: { url: string; bytes: number };
  /**
   * The model in parts, for visitors: one geometry and one texture pack replace `model`. Absent if the
   * model or its textures are small.
   */
  levels?: ModelLevels;
  /** Images of the first frame, smallest first, without the one inside the document. Width and height in pixels. */
  posters?: { url: string; width: number; height: number }[];
  /** Fills the frame before the poster has loaded. */
  posterPlaceholder?: PosterPlaceholder;
  /** The options of this embed, without invalid ones. Absent if there are none. */
  options?: ViewerOptions;
  /** One line for each option that was ignored, for the console. Absent if there are none. */
  optionWarnings?: string[];
  /**
   * Renders a poster: only the model, without animation, with a transparent background, so that the
   * poster fits any background. The page is not in an iframe. When the poster is rendered, the
   * state of the viewer is `ready`, and the attribute `data-background` of the root element is the
   * color for `posterPlaceholder`. The root element has the attribute `data-thin-shapes` if the model has points or lines.
   */
  posterMode?: boolean;
  /** The asset grant, sent with every asset request in the header `GRANT_HEADER`. It expires. */
  grant: string;
  /** The token's origins, as in `frame-ancestors`: every ancestor page must match one of them. */
  allowedOrigins: string[];
  /** Any page may frame the document and control the viewer. Then there is no token, and `allowedOrigins` is empty. */
  shared?: true;
  /**
   * The version of the document, if browsers may cache it. A cached document shows nothing until a request to its own URL, with `/<documentVersion>` after
   * the path and with the grant, has returned a `DocumentRevalidation`.
   */
  documentVersion?: string;
};

/** The service would send the same document again, with this grant. */
export type DocumentRevalidation = Pick<ViewerConfig, 'grant'>;

/** The model that was made while its preview was shown. The grant of the document is for its files too. */
export type PendingModel = Pick<ViewerConfig, 'model' | 'levels'>;

/** The levels of a model. Both lists are in ascending order. */
export type ModelLevels = {
  /**
   * Models without the images of the texture packs; see texture-levels.ts. The viewer removes those that are too small for it. `maxSize` is
   * the longest side of the model on the screen, in device pixels, up to which a geometry looks like the whole model; absent for the largest one.
   */
  geometries: { url: string; bytes: number; triangles: number; maxSize?: number }[];
  /**
   * Texture packs. `size` is the longest side, in pixels, of an image that covers the surface as densely as `uvPerMeter`; the
   * others have as many pixels on a meter. `imageSize` is the longest side of the largest image, and `pixels` the number in all images;
   * without `imageSize`, it is that of the pack. `pixels` is there if the images are larger than `MAX_FIRST_IMAGE_SIZE`, except in revisions of older
   * versions.
   */
  textures: { size: number; imageSize?: number; pixels?: number; url: string; bytes: number }[];
  /**
   * Texture coordinates per meter of surface, at least: on a meter, a texture of n pixels has n times as many
   * pixels. Absent if it could not be measured.
   */
  uvPerMeter?: number;
};

/** What fills the frame before its poster has loaded. */
export type PosterPlaceholder = {
  /** CSS color `#rrggbb` at the edge of the frame. */
  background: string;
};

/** An axis-aligned box in metres, Y up. */
export type BoundingBox = { min: [number, number, number]; max: [number, number, number] };

/** GET, with a grant: returns the files of its revision as `PendingModel`. With a CDN, their URLs have new tickets. */
export const MODEL_URL = '/embed/model';

/** The request header of the asset grant. */
export const GRANT_HEADER = 'cloche-grant';
