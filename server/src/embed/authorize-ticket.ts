import { Problem } from '@cloche/contract/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { DesignStore } from '../designs/design-store.ts';
import type { PublicHost } from '../http/public-host.ts';
import type { AssetTickets } from './asset-ticket.ts';
import { parseTicketUrl } from './asset-urls.ts';
import type { AuthorizedAsset } from './authorize-asset.ts';

type AuthorizeTicketDependencies = {
  tickets: AssetTickets;
  designs: Pick<DesignStore, 'findArtifact'>;
  blobs: Pick<BlobStore, 'open' | 'read'>;
  publicHost: PublicHost;
  now: () => Date;
};

/**
 * Returns the artifact if the ticket in the URL is for it. A CDN asks, which has no grant, or a framed document through a CDN: the
 * response allows only our own pages to read it.
 *
 * @throws {Problem} embed.cross-site, embed.ticket, embed.asset
 */
export async function authorizeTicket(
  request: FastifyRequest,
  reply: FastifyReply,
  { tickets, designs, blobs, publicHost, now }: AuthorizeTicketDependencies,
): Promise<AuthorizedAsset> {
  const { origin } = request.headers;
  reply.header('vary', 'origin');
  if (origin !== undefined) {
    if (!publicHost.servesOrigin(origin)) throw new Problem('embed.cross-site');
    // Without it, the viewer could not read a problem either.
    reply.header('access-control-allow-origin', origin);
  }
  const parsed = parseTicketUrl(request.url);
  if (parsed === undefined) throw new Problem('embed.asset');
  tickets.verify(parsed.blob, parsed.ticket, now());
  const artifact = await designs.findArtifact(parsed.blob);
  if (artifact === undefined) throw new Problem('embed.asset');
  return { artifact, blobs };
}
