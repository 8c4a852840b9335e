/**
 * The cookie of a session. Scripts cannot read it, and browsers send it only with requests of our own site. Over https it has
 * the prefix `__Host-`: then no other host can set it, and its path must be `/`. Over http, the name has the port, because
 * services on other ports of the same host share the cookies.
 */
export class SessionCookie {
  readonly name: string;
  readonly #attributes: string;

  constructor(publicOrigin: string) {
    const { protocol, port } = new URL(publicOrigin);
    const isSecure = protocol === 'https:';
    this.name = isSecure ? '__Host-cloche-session' : `cloche-session-${port || '80'}`;
    this.#attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  }

  /** Returns the value of the cookie in a `Cookie` header. Undefined also if there are two: one is not ours. */
  read(header: string | undefined): string | undefined {
    const prefix = `${this.name}=`;
    const values = (header ?? '')
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(prefix));
    return values.length === 1 ? values[0]?.slice(prefix.length) : undefined;
  }

  /** Returns a `Set-Cookie` header. */
  format(value: string, maxAgeMs: number): string {
    const maxAge = Math.max(0, Math.floor(maxAgeMs / 1000));
    return `${this.name}=${value}; Max-Age=${maxAge}; ${this.#attributes}`;
  }

  /** Returns a `Set-Cookie` header that removes the cookie. */
  formatRemoval(): string {
    return this.format('', 0);
  }
}
