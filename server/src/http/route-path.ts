/** Creates a pattern for the paths of a route, from its URL with parameters, such as `/v1/designs/:id`. */
export function toPathPattern(routeUrl: string): RegExp {
  const path = routeUrl.replace(/:[^/]+/g, '[^/]+').replace('*', '.*');
  return new RegExp(`^${path}/?$`);
}

/** Says whether the path of a URL matches one of the patterns. */
export function isRoutePath(patterns: readonly RegExp[], url: string): boolean {
  const path = url.split('?', 1)[0] ?? '';
  return patterns.some((pattern) => pattern.test(path));
}
