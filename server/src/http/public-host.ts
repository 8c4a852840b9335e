const LOOPBACK = /^(localhost|[a-z0-9-]+\.localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

const DEFAULT_PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' };

/** The public origin of the service, which every embed contains. */
export class PublicHost {
  readonly origin: string;
  readonly #host: string;
  /** `#host` with its port, also if that is the default port, which browsers omit and some proxies add. */
  readonly #hostWithPort: string;
  readonly #port: string;
  readonly #hasDefaultPort: boolean;
  readonly #isLoopback: boolean;
  /** The origins that embeds contain that were created before the public URL has changed. */
  readonly #formerHosts: readonly PublicHost[];

  /**
   * @param origin as configured: scheme, host and port, without a path
   * @param formerOrigins earlier values of `origin`
   */
  constructor(origin: string, formerOrigins: readonly string[] = []) {
    this.#formerHosts = formerOrigins.map((former) => new PublicHost(former));
    const url = new URL(origin);
    this.origin = url.origin;
    this.#host = url.host;
    this.#port = url.port || DEFAULT_PORTS[url.protocol] || '';
    this.#hasDefaultPort = url.port === '';
    this.#hostWithPort = `${url.hostname}:${this.#port}`;
    this.#isLoopback = LOOPBACK.test(url.hostname);
  }

  /** Says whether a Host header is the configured host, and not another loopback name for it. */
  isConfiguredHost(host: string): boolean {
    const name = host.toLowerCase();
    return name === this.#host || name === this.#hostWithPort;
  }

  /** Says whether a Host header names this service. All loopback names count as the same host. */
  matchesHost(host: string): boolean {
    if (this.isConfiguredHost(host)) return true;
    if (!this.#isLoopback) return false;
    const { name, port } = splitHost(host);
    const samePort = port === '' ? this.#hasDefaultPort : port === this.#port;
    return samePort && LOOPBACK.test(name);
  }

  /** Says whether a Host header names this service by an earlier public URL. */
  matchesFormerHost(host: string): boolean {
    return this.#formerHosts.some((former) => former.matchesHost(host));
  }

  /** Returns the origin of this service in a URL with that host: the public one, or a former one. */
  toServedOrigin(host: string): string {
    const name = host.toLowerCase();
    const served = [this, ...this.#formerHosts].find((candidate) => candidate.matchesHost(name));
    return served?.origin ?? this.origin;
  }

  /** Says whether an Origin header names the page of this service whose requests have this host. */
  isSameServedOrigin(origin: string, host: string): boolean {
    const name = host.toLowerCase();
    return [this, ...this.#formerHosts].some(
      (candidate) => candidate.matchesHost(name) && candidate.isSameOrigin(origin),
    );
  }

  /** Says whether an Origin header names a page of this service, at its public URL or a former one. */
  servesOrigin(origin: string): boolean {
    return [this, ...this.#formerHosts].some((candidate) => candidate.isSameOrigin(origin));
  }

  /** Says whether an Origin header names a page of this service at its public URL. */
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
