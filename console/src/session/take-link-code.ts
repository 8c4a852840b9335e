/** Returns the code of a one-time link to sign in, and removes it from the address and the history of the browser. */
export function takeLinkCode(): string | undefined {
  const code = /^#sign-in=(\w+)$/.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return code;
}
