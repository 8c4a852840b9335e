import type { Capability } from '@cloche/contract/token';

/** Who may call a route: a token with that capability, or with one of several; 'public': everyone. */
export type RouteAuth = Capability | readonly Capability[] | 'public';

declare module 'fastify' {
  /** What a route declares in `config`. */
  interface FastifyContextConfig {
    /** Required on every route. */
    auth?: RouteAuth;
    /** The route reads an `Idempotency-Key`. Used for the API description only. */
    idempotencyKey?: boolean;
    /** The media types of the response. Default: JSON. */
    produces?: readonly string[];
    /** The route answers under any host name: for probes that know only our IP address. */
    anyHost?: boolean;
  }
}
