/** The service that has served the script of the SDK. Undefined in an npm package: it can be on any server. */
export const defaultService: { origin: string | undefined } = { origin: undefined };

/** Sets the service from the URL of the script. The entry points for script tags and modules call it. */
export function setDefaultService(scriptUrl: string | undefined): void {
  if (scriptUrl?.startsWith('http')) defaultService.origin = new URL(scriptUrl).origin;
}
