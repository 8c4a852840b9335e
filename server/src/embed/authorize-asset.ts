import { Problem } from '@cloche/contract/problem';
import { GRANT_HEADER } from '@cloche/contract/viewer-config';
import type { FastifyRequest } from 'fastify';
import type { Artifact } from '../designs/design.ts';
import type { PublicHost } from '../http/public-host.ts';
import { assertDesignInScope } from '../tokens/authorize.ts';
import { assertActive } from '../tokens/token.ts';
import { type GrantSigner, grantError } from './asset-grant.ts';
import { type EmbedStores, getVisibleDesign } from './authorize-view.ts';

type AuthorizeAssetDependencies = EmbedStores & {
  grantSigner: GrantSigner;
  publicHost: PublicHost;
  now: () => Date;
};

/**
 * Says whether a request may have an asset: it must come from our own page, with a grant that names
 * a live token and a revision that has this asset.
 *
 * @throws {Problem} embed.cross-site, embed.grant, token.revoked, token.expired, token.design,
 *   embed.asset
 */
export async function authorizeAsset(
  request: FastifyRequest,
  blob: string,
  keys: AuthorizeAssetDependencies,
): Promise<Artifact> {
  const { headers } = request;
  assertSameOrigin(headers['sec-fetch-site'], headers.origin, keys.publicHost);
  const now = keys.now();
  const header = headers[GRANT_HEADER];
  const grant = keys.grantSigner.verify(typeof header === 'string' ? header : undefined, now);
  const token = await keys.tokens.findById(grant.tokenId);
  if (token === undefined) throw new Problem('token.unknown');
  assertActive(token, now);
  assertDesignInScope(token, grant.designId);
  await getVisibleDesign(keys.designs, token, grant.designId);
  // The revision of the grant, not of today: a view that began with the old model ends with it.
  const revision = await keys.designs.findRevision(grant.revisionId);
  if (revision === undefined) {
    throw grantError('outdated', 'The revision that the grant is for is gone.');
  }
  const artifact = revision.artifacts.find((one) => one.blob === blob);
  if (artifact === undefined) throw new Problem('embed.asset');
  return artifact;
}

function assertSameOrigin(site: unknown, origin: string | undefined, publicHost: PublicHost): void {
  const sameSite = site === undefined || site === 'same-origin';
  if (sameSite && (origin === undefined || publicHost.isSameOrigin(origin))) return;
  throw new Problem('embed.cross-site', {
    detail:
      'Models are given to our own viewer only, not to other pages. Embed the design with the HTML of POST /embed/iframe/v1.',
  });
}
