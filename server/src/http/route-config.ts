import type { Problem, ProblemCode } from '@cloche/contract/problem';
import type { Capability } from '@cloche/contract/token';

/** Requires a token with the capability, or with one of several capabilities. `public`: no token. */
export type RouteAuth = Capability | readonly Capability[] | 'public';

/** A problem as an HTML page. */
export type ErrorPage = { headers: Readonly<Record<string, string>>; html: string };

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the problem that was sent. */
    problemCode: ProblemCode | undefined;
  }

  /** What a route declares in `config`. */
  interface FastifyContextConfig {
    /** Required on every route. */
    auth?: RouteAuth;
    /** Only pages of this service may call the route, and a secret token is allowed in them. */
    ownPageOnly?: boolean;
    /** Whether a page of this service gets a response without content, instead of a problem, if the browser is not signed in. */
    allowsSignedOut?: boolean;
    /**
     * Whether the route creates something, and therefore runs once per `Idempotency-Key`: the handler
     * uses `request.idempotency`. Required on every POST and PUT route.
     */
    idempotencyKey?: boolean;
    /** Whether the route changes a design or a token only in the versions that `If-Match` names. */
    ifMatch?: boolean;
    /** The media types of the response. Default: JSON. */
    produces?: readonly string[];
    /** Serves requests for any host name: health checks often use the IP address. */
    anyHost?: boolean;
    /** Also serves requests for the hosts of former public URLs: existing embeds name them. */
    formerHosts?: boolean;
    /** Renders problems as a page, for clients that do not prefer JSON. */
    renderErrorPage?: (problem: Problem, request: FastifyRequest) => ErrorPage;
  }
}
