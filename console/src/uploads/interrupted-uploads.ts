/** An upload that was begun and is not complete. */
export type InterruptedUpload = {
  /** The key in the storage of the browser. */
  key: string;
  fingerprint: string;
  url: string | undefined;
  name: string;
  /** Where the file came from, if it was made from several. */
  source: string | undefined;
  /** The design that gets the file as its new revision. */
  designId: string | undefined;
};

/** How tus-js-client begins the keys of the uploads that it stores. */
const KEY_PREFIX = 'tus::';

/** Names a file of a user, for a new design or an existing one. The same file has the same name after a reload of the page. */
export function createFingerprint(user: string, file: File, designId = ''): string {
  return `${getUserPrefix(user)}${designId}${file.size}-${file.lastModified}-${file.type}-${file.name}`;
}

/** Lists the uploads of a user that this browser has begun, also those that run at the moment. */
export function listStoredUploads(user: string): InterruptedUpload[] {
  const prefix = KEY_PREFIX + getUserPrefix(user);
  return listKeys().flatMap((key) => {
    if (!key.startsWith(prefix)) return [];
    const { metadata: { filename, relativePath, design } = {}, uploadUrl } = readUpload(key);
    if (typeof filename !== 'string') return [];
    const fingerprint = key.slice(KEY_PREFIX.length, key.lastIndexOf('::'));
    const source = typeof relativePath === 'string' ? relativePath : undefined;
    const url = typeof uploadUrl === 'string' ? uploadUrl : undefined;
    const designId = typeof design === 'string' ? design : undefined;
    return [{ key, fingerprint, url, name: filename, source, designId }];
  });
}

/** Removes uploads from the storage. The service deletes their bytes when they expire. */
export function forgetUploads(uploads: readonly InterruptedUpload[]): void {
  for (const { key } of uploads) localStorage.removeItem(key);
}

function getUserPrefix(user: string): string {
  return `cloche-${user}-`;
}

function listKeys(): string[] {
  try {
    return Object.keys(localStorage);
  } catch {
    // The browser allows no storage: then uploads continue only until the page is reloaded.
    return [];
  }
}

function readUpload(key: string): { metadata?: Record<string, unknown>; uploadUrl?: unknown } {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '') ?? {};
  } catch {
    return {};
  }
}
