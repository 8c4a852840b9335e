const LOOPBACK = /^(localhost|[a-z0-9-]+\.localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

/** The public origin of the service, which every embed contains. */
export class PublicHost {
  readonly origin: string;
  readonly #host: string;
  readonly #port: string;
  readonly #isLoopback: boolean;

  /** @param origin as configured: scheme, host and port, without a path */
  constructor(origin: string) {
    const url = new URL(origin);
    this.origin = url.origin;
    this.#host = url.host;
    this.#port = url.port;
    this.#isLoopback = LOOPBACK.test(url.hostname);
  }

  /** Says whether a Host header names this service. All loopback names count as the same host. */
  matchesHost(host: string): boolean {
    if (host === this.#host) return true;
    if (!this.#isLoopback) return false;
    const { name, port } = splitHost(host);
    return LOOPBACK.test(name) && port === this.#port;
  }

  /** Says whether an Origin header names a page of this service. */
  isSameOrigin(origin: string): boolean {
    if (origin === this.origin) return true;
    const scheme = this.origin.slice(0, this.origin.indexOf('//') + 2);
    return origin.startsWith(scheme) && this.matchesHost(origin.slice(scheme.length));
  }
}

function splitHost(host: string): { name: string; port: string } {
  const [, name = '', port = ''] = /^(\[[0-9a-f:]+\]|[^:]*)(?::(\d+))?$/.exec(host) ?? [];
  return { name, port };
}
