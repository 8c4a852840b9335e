/**
 * What the framed document tells the viewer, as JSON in `<script type="application/json" id="framed">`.
 * Free of dependencies: the viewer imports it.
 */
export type Framed = {
  design: { id: string; name: string };
  /** The file to show: its address on our own origin, its size, and the box it fills. */
  model: { url: string; bytes: number; bounds?: Box };
  /** Sent with every asset request, in the header `GRANT_HEADER`. Good for minutes, not for ever. */
  grant: string;
  /** The token's origins, as written in `frame-ancestors`: every ancestor must be one of them. */
  origins: string[];
};

/** An axis-aligned box in metres, Y up. */
export type Box = { min: [number, number, number]; max: [number, number, number] };

/** The request header that carries a grant. */
export const GRANT_HEADER = 'cloche-grant';
