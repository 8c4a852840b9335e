/** Returns a one-time link. The code is in the fragment, which browsers send to no server and which is in no log. */
export function toSignInUrl(publicUrl: string, code: string): string {
  return `${publicUrl}/console#sign-in=${code}`;
}
