import { GRANT_HEADER } from '@cloche/contract/framed';
import { Problem } from '@cloche/contract/problem';
import type { FastifyRequest } from 'fastify';
import type { Artifact } from '../designs/design.ts';
import type { PublicHost } from '../http/hosts.ts';
import { checkAlive, checkDesign } from '../tokens/token.ts';
import { findShown, type Shelves } from './admit.ts';
import { type Grants, refuseGrant } from './grant.ts';

type Keys = Shelves & { grants: Grants; publicHost: PublicHost; now: () => Date };

/**
 * Says whether a request may have an asset: it must come from our own page, with a grant that names
 * a live token and a revision that has this asset.
 *
 * @throws {Problem} embed.cross-site, embed.grant, token.revoked, token.expired, token.design,
 *   embed.asset
 */
export async function admitToAsset(
  request: FastifyRequest,
  blob: string,
  keys: Keys,
): Promise<Artifact> {
  const { headers } = request;
  checkOwnPage(headers['sec-fetch-site'], headers.origin, keys.publicHost);
  const now = keys.now();
  const header = headers[GRANT_HEADER];
  const grant = keys.grants.read(typeof header === 'string' ? header : undefined, now);
  const token = await keys.tokens.findById(grant.tokenId);
  if (token === undefined) throw new Problem('token.unknown');
  checkAlive(token, now);
  checkDesign(token, grant.designId);
  await findShown(keys.designs, token, grant.designId);
  // The revision of the grant, not of today: a view that began with the old model ends with it.
  const revision = await keys.designs.findRevision(grant.revisionId);
  if (revision === undefined) {
    throw refuseGrant('outdated', 'The revision that the grant is for is gone.');
  }
  const artifact = revision.artifacts.find((one) => one.blob === blob);
  if (artifact === undefined) throw new Problem('embed.asset');
  return artifact;
}

function checkOwnPage(site: unknown, origin: string | undefined, publicHost: PublicHost): void {
  const sameSite = site === undefined || site === 'same-origin';
  if (sameSite && (origin === undefined || publicHost.isOwn(origin))) return;
  throw new Problem('embed.cross-site', {
    detail:
      'Models are given to our own viewer only, not to other pages. Embed the design with the HTML of POST /embed/iframe/v1.',
  });
}
