import type { BlobRef } from '../blobs/blob-store.ts';
import type { CdnSettings } from '../http/cdn-settings.ts';
import { Signer } from '../http/signer.ts';
import { ASSET_TICKET_PURPOSE, AssetTickets } from './asset-ticket.ts';

/** Returns the URL that the viewer requests an artifact from. */
export type ToAssetUrl = (blob: BlobRef, extension: 'glb' | 'webp') => string;

/** On the origin of the framed document. The request needs a grant. */
export const toOwnAssetUrl: ToAssetUrl = (blob, extension) => `/embed/assets/${blob}.${extension}`;

/** A URL of an artifact with its ticket, as nothing but `create` writes it. */
const TICKET_URL = /^\/embed\/assets\/([0-9a-f]{64})\.(?:glb|webp)\?ticket=([\w.-]+)$/;

/** Creates the URLs of artifacts in framed documents: on our own origin, or with tickets on the origin of a CDN. */
export class AssetUrls {
  /** Undefined without a CDN. */
  readonly tickets: AssetTickets | undefined;
  /** The origin of the CDN, unless it is that of the framed document. */
  readonly cdnOrigin: string | undefined;

  /** @param cdn undefined: framed documents load artifacts from the service itself */
  constructor(publicOrigin: string, grantKey: Buffer, cdn?: CdnSettings) {
    if (cdn === undefined) return;
    this.tickets = new AssetTickets(new Signer(grantKey, ASSET_TICKET_PURPOSE), cdn.ticketMs);
    if (cdn.origin !== publicOrigin) this.cdnOrigin = cdn.origin;
  }

  /** Returns the function that creates the URLs in a document of now. */
  create(now: Date): ToAssetUrl {
    const { tickets, cdnOrigin = '' } = this;
    if (tickets === undefined) return toOwnAssetUrl;
    return (blob, extension) =>
      `${cdnOrigin}${toOwnAssetUrl(blob, extension)}?ticket=${tickets.sign(blob, now)}`;
  }
}

/**
 * Reads the path and query of a URL with a ticket. Undefined for every other spelling of it: a cache in front of the service may
 * decode and shorten a path, and must not find another artifact under it than the one whose ticket was checked.
 */
export function parseTicketUrl(url: string): { blob: BlobRef; ticket: string } | undefined {
  const [, blob, ticket] = TICKET_URL.exec(url) ?? [];
  if (blob === undefined || ticket === undefined) return undefined;
  return { blob: blob as BlobRef, ticket };
}
