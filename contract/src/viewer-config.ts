/**
 * What the framed document tells the viewer, as JSON in `<script type="application/json" id="viewer-config">`.
 * Free of dependencies: the viewer imports it.
 */
export type ViewerConfig = {
  design: {
    id: string;
    name: string;
    /** For those who cannot be shown the design. Hostile text, like the name. */
    description?: string;
  };
  /** The file to show: its address on our own origin, its size, and the box it fills. */
  model: { url: string; bytes: number; bounds?: BoundingBox };
  /** A small likeness of the model, to show until it is there; absent when the model is small itself. */
  preview?: { url: string; bytes: number };
  /** Pictures of the first frame, the smallest first. */
  posters?: { url: string; width: number; height: number }[];
  /** What fills the frame before anything has arrived. */
  posterPlaceholder?: PosterPlaceholder;
  /**
   * The page stands for its picture: the model alone, at rest, the state `ready` after its last
   * frame. It is not framed, and has no background of its own, so that posters, pictures with alpha,
   * suit light and dark frames alike (`omitBackground`); `data-background` of its root is the colour
   * for `look`.
   */
  posterMode?: boolean;
  /** Sent with every asset request, in the header `GRANT_HEADER`. Good for minutes, not for ever. */
  grant: string;
  /** The token's origins, as written in `frame-ancestors`: every ancestor must be one of them. */
  allowedOrigins: string[];
};

/** The first frame in a few bytes: its background, and the picture as a tiny blur. */
export type PosterPlaceholder = {
  /** CSS colour, `#rrggbb`, at the edge of the frame; where visitors prefer dark, it stays dark. */
  background: string;
  /** ThumbHash of the poster, base64: 20 to 40 bytes. */
  thumbHash?: string;
};

/** An axis-aligned box in metres, Y up. */
export type BoundingBox = { min: [number, number, number]; max: [number, number, number] };

/** The request header that carries a grant. */
export const GRANT_HEADER = 'cloche-grant';
