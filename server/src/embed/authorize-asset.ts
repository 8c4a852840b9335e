import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '@cloche/contract/problem';
import { GRANT_HEADER } from '@cloche/contract/viewer-config';
import type { FastifyRequest } from 'fastify';
import type { Artifact } from '../designs/design.ts';
import type { PublicHost } from '../http/public-host.ts';
import { assertDesignInScope } from '../tokens/authorize.ts';
import { assertActive } from '../tokens/token.ts';
import {
  type AssetGrant,
  createGrantError,
  type GrantSigner,
  SHARED_GRANTEE,
} from './asset-grant.ts';
import { getSharedDesign, type ShareStores } from './authorize-share.ts';
import { type EmbedStores, getVisibleDesign } from './authorize-view.ts';

type AuthorizeAssetDependencies = EmbedStores &
  ShareStores & {
    grantSigner: GrantSigner;
    publicHost: PublicHost;
    now: () => Date;
  };

/**
 * Returns the artifact if the request may load it: it must come from our own page, with a grant whose
 * token is still active and has lost no origin since, or whose design is still shared, and whose revision
 * has this artifact.
 *
 * @throws {Problem} embed.cross-site, embed.grant, token.revoked, token.expired, token.design,
 *   design.not-shared, embed.asset
 */
export async function authorizeAsset(
  { headers }: FastifyRequest,
  blob: string,
  dependencies: AuthorizeAssetDependencies,
): Promise<Artifact> {
  const { designs, grantSigner, publicHost, now } = dependencies;
  assertSameOrigin(headers, publicHost);
  const time = now();
  const header = headers[GRANT_HEADER];
  const grant = grantSigner.verify(typeof header === 'string' ? header : undefined, time);
  if (grant.granteeId === SHARED_GRANTEE.id) await getSharedDesign(dependencies, grant.designId);
  else await assertTokenStillAllows(grant, dependencies, time);
  // The revision of the grant, not the current one: a page opened before an update still loads its model.
  const revision = await designs.findReadyRevision(grant.revisionId);
  if (revision === undefined) {
    throw createGrantError('outdated', 'The revision of the grant was deleted.');
  }
  const artifact = revision.artifacts.find((candidate) => candidate.blob === blob);
  if (artifact === undefined) throw new Problem('embed.asset');
  return artifact;
}

async function assertTokenStillAllows(
  { granteeId, designId, scopeVersion }: AssetGrant,
  { tokens, designs }: EmbedStores,
  now: Date,
): Promise<void> {
  const token = await tokens.findById(granteeId);
  if (token === undefined) throw new Problem('token.unknown');
  assertActive(token, now);
  if (scopeVersion !== token.scopeVersion) {
    throw createGrantError('outdated', 'Origins were removed from the token of the grant.');
  }
  assertDesignInScope(token, designId);
  await getVisibleDesign(designs, token, designId);
}

function assertSameOrigin(headers: IncomingHttpHeaders, publicHost: PublicHost): void {
  const { 'sec-fetch-site': secFetchSite, origin, host = '' } = headers;
  const fromOwnPage = secFetchSite === undefined || secFetchSite === 'same-origin';
  const isOwnOrigin = origin === undefined || publicHost.isSameServedOrigin(origin, host);
  if (fromOwnPage && isOwnOrigin) return;
  throw new Problem('embed.cross-site', {
    detail:
      'Only our own viewer can load models, not other pages. Embed the design with the HTML of POST /embed/iframe/v1.',
  });
}
