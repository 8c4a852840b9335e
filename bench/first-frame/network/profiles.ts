/** A network between the browser and the server. All connections share it. */
export type NetworkProfile = {
  /** The name on the command line and in the results. */
  name: string;
  label: string;
  /** In each direction. Infinity: not throttled. */
  bitsPerSecond: number;
  roundTripMs: number;
};

export const UNTHROTTLED: NetworkProfile = {
  name: 'none',
  label: 'no throttle',
  bitsPerSecond: Number.POSITIVE_INFINITY,
  roundTripMs: 0,
};

export const NETWORK_PROFILES: readonly NetworkProfile[] = [
  UNTHROTTLED,
  { name: '20', label: '20 Mbit/s, 40 ms', bitsPerSecond: 20e6, roundTripMs: 40 },
  { name: '1.6', label: '1.6 Mbit/s, 150 ms', bitsPerSecond: 1.6e6, roundTripMs: 150 },
];
