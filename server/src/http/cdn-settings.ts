/** The CDN that delivers artifacts: its origin, and the maximum lifetime of the tickets in its URLs. */
export type CdnSettings = { origin: string; ticketMs: number };
